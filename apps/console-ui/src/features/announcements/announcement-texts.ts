import { type ChineseTexts, defineTexts } from '../../language/define-texts';

const en = {
  title: 'Announcements',
  dismiss: 'Hide “{{title}}”',
  failed: 'The announcement could not be hidden. Try again.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '公告',
  dismiss: '隐藏“{{title}}”',
  failed: '未能隐藏公告，请重试。',
};

export const useAnnouncementTexts = defineTexts('announcements', en, zh);
