import { type ChineseTexts, defineTexts } from '../../language/define-texts';

const en = {
  title: 'Changelog',
  description: 'What is new, newest first.',
  feed: 'Atom feed',
  more: 'Show more',
  'empty.title': 'No news yet',
  'empty.text': 'What changes is told here. The newest versions are among the downloads.',
  'empty.downloads': 'Go to the downloads',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '更新日志',
  description: '最近的更新，最新的在最前。',
  feed: 'Atom 订阅',
  more: '显示更多',
  'empty.title': '暂无更新',
  'empty.text': '更新内容将在此发布，最新版本请见下载页面。',
  'empty.downloads': '前往下载',
};

export const useChangelogTexts = defineTexts('changelog', en, zh);
