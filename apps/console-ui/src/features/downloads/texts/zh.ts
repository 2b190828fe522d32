import { type ChineseTexts } from '../../../language/text-types';
import { type en } from './en';

export const zh: ChineseTexts<typeof en> = {
  title: '下载',
  description: '各程序的最新版本。',
  platform: '您的系统',
  'platform.hint': '根据浏览器推测，如不正确请自行选择。',
  prerelease: '预览版',
  none: '暂未发布，请稍后再来。',
  notFor: '此版本没有适用于 {{platform}} 的程序，请查看全部文件。',
  download: '下载 {{platform}} 版',
  install: '或使用命令行',
  files_other: '全部文件（{{count}}）',
  'files.of': '{{component}}的文件',
  'column.file': '文件',
  'column.platform': '系统',
  'column.size': '大小',
  'component.engine': '引擎（Engine）',
  'component.engine.text': '在您自己的机器上运行模型。',
  'component.router': '路由（Router）',
  'component.router.text': '将调用转发到合适的模型服务器。',
  'component.agent': '智能体（Agent）',
  'component.agent.text': '借助模型和工具完成任务。',
  'component.memo': '知识库（Memo）',
  'component.memo.text': '根据您的文档回答问题。',
};
