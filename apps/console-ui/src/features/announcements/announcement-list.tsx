import { CloseButton, Group, Text } from '@mantine/core';
import { type Schemas } from '../../api/console-api';
import { useLanguage } from '../../language/language';
import { AnnouncementText } from './announcement-text';
import { useDismiss } from './announcements-query';
import classes from './announcements.module.css';
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

const useAnnouncementTexts = defineTexts('announcements', en, zh);

type Announcement = Schemas['CurrentAnnouncementResponse'];

interface Props {
  announcements: Announcement[];
  /** Visitors cannot hide what they see. */
  isSignedIn: boolean;
}

export default function AnnouncementList({ announcements, isSignedIn }: Props) {
  const t = useAnnouncementTexts();
  return (
    <section aria-label={t('title')}>
      {announcements.map((announcement) => (
        <Notice
          key={announcement.id}
          announcement={announcement}
          isDismissible={isSignedIn && announcement.severity !== 'critical'}
        />
      ))}
    </section>
  );
}

function Notice({
  announcement: { id, severity, ...texts },
  isDismissible,
}: {
  announcement: Announcement;
  isDismissible: boolean;
}) {
  const t = useAnnouncementTexts();
  const { language } = useLanguage();
  const [title, body] = language === 'en' ? [texts.title_en, texts.body_en] : [texts.title_zh, texts.body_zh];
  const dismissal = useDismiss();
  return (
    <div className={classes.announcement} data-severity={severity}>
      <Group gap="sm" wrap="nowrap" justify="space-between" align="flex-start">
        <div>
          <Text size="md" fw={600}>
            {title}
          </Text>
          <Text size="md" className={classes.text}>
            <AnnouncementText text={body} />
          </Text>
          {dismissal.isError && (
            <Text size="md" role="alert">
              {t('failed')}
            </Text>
          )}
        </div>
        {isDismissible && (
          <CloseButton
            aria-label={t('dismiss', { title })}
            disabled={dismissal.isPending}
            onClick={() => dismissal.mutate(id)}
          />
        )}
      </Group>
    </div>
  );
}
