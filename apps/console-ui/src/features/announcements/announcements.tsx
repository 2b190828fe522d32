import { Anchor, CloseButton, Group, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { useSessionState } from '../../api/session';
import { useLanguage } from '../../language/language';
import { useAnnouncementTexts } from './announcement-texts';
import classes from './announcements.module.css';
import { splitLinks } from './text-with-links';

type Announcement = Schemas['CurrentAnnouncementResponse'];

export const ANNOUNCEMENTS = 'announcements';
/** Chosen: a tab that stays open all day tells of an incident in time. */
const REFRESH_MILLIS = 5 * 60_000;

const announcementsQuery = (api: ConsoleApi, isSignedIn: boolean) =>
  queryOptions({
    queryKey: [ANNOUNCEMENTS, isSignedIn],
    queryFn: async ({ signal }) =>
      (isSignedIn
        ? await bodyOf(api.GET('/api/account/announcements', { signal }))
        : await bodyOf(api.GET('/api/announcements', { signal }))
      ).announcements,
    refetchInterval: REFRESH_MILLIS,
  });

/** What staff tells customers now, above all pages. Visitors see what is for everybody. */
export function Announcements() {
  const t = useAnnouncementTexts();
  const isSignedIn = useSessionState().status === 'signed-in';
  const { data = [] } = useQuery(announcementsQuery(useConsoleApi(), isSignedIn));
  if (data.length === 0) return null;
  return (
    <section aria-label={t('title')}>
      {data.map((announcement) => (
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
            {splitLinks(body).map((part, index) =>
              typeof part === 'string' ? (
                part
              ) : (
                <Anchor key={index} href={part.href} inherit underline="always" rel="noreferrer">
                  {part.href}
                </Anchor>
              ),
            )}
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

function useDismiss() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      api.POST('/api/account/announcements/{id}/dismiss', { params: { path: { id } } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [ANNOUNCEMENTS] }),
  });
}
