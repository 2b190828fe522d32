import { type ChineseTexts } from '../../language/text-types';
import { type en } from './en';

export const zh: ChineseTexts<typeof en> = {
  title: '任务',
  running_other: '任务：{{count}} 个进行中',
  empty: '暂无进行中的任务。上传、付款、智能体对话和导出会显示在这里。',
  clear: '清除已结束的任务',
  'kind.upload': '上传',
  'kind.export': '导出',
  'kind.payment': '付款',
  'kind.turn': '智能体对话',
  'state.running': '进行中',
  'state.done': '已完成',
  'state.failed': '失败',
};
