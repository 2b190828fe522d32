import { type ChineseTexts, defineTexts } from '../../language/define-texts';

const en = {
  title: 'Changelog',
  description: 'The latest changes to this platform.',
  feed: 'Atom feed',
  more: 'Show more',
  'empty.title': 'No news yet',
  'empty.text': 'Updates will appear here. You can find the latest versions on the downloads page.',
  'empty.downloads': 'Go to the downloads',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '更新日志',
  description: '平台的最新变化。',
  feed: 'Atom 订阅',
  more: '显示更多',
  'empty.title': '暂无更新',
  'empty.text': '更新内容将在此发布，最新版本请见下载页面。',
  'empty.downloads': '前往下载',
};

export const useChangelogTexts = defineTexts('changelog', en, zh);
