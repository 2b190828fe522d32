import { type ChineseTexts } from '../../../language/text-types';
import { type en } from './en';

export const zh: ChineseTexts<typeof en> = {
  title: '更新日志',
  description: '最近的更新，最新的在最前。',
  feed: 'Atom 订阅',
  more: '显示更多',
  'empty.title': '暂无更新',
  'empty.text': '更新内容将在此发布，最新版本请见下载页面。',
  'empty.downloads': '前往下载',
};
