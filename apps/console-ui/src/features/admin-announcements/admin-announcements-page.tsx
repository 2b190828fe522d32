import { ActionIcon, Badge, Button, Group, Text, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery } from '@tanstack/react-query';
import { CircleStop, Mail, MailX, Pencil, Plus } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/account';
import { useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { ConfirmDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { MiddleCut } from '../../components/middle-cut';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Quantity } from '../../figures/figure-text';
import { useLanguage } from '../../language/language';
import { Time } from '../../time/time';
import { useAdminAnnouncementTexts } from './admin-announcement-texts';
import { AnnouncementDialog } from './announcement-dialog';
import {
  type Announcement,
  announcementsQuery,
  useCancelMailing,
  useEndAnnouncement,
} from './announcement-queries';
import { MailingDialog } from './mailing-dialog';

/** The dialog that is open. */
type Opened =
  | 'new'
  | { edited: Announcement }
  | { ended: Announcement }
  | { mailed: Announcement }
  | { stopped: Announcement };

function stateOf({ starts_at: startsAt, ends_at: endsAt }: Announcement): 'upcoming' | 'shown' | 'ended' {
  const now = Date.now();
  if (endsAt !== null && Date.parse(endsAt) <= now) return 'ended';
  return Date.parse(startsAt) > now ? 'upcoming' : 'shown';
}

/** What customers are told for a time. */
export function AdminAnnouncementsPage() {
  const t = useAdminAnnouncementTexts();
  const api = useConsoleApi();
  const may = useMay();
  const { language } = useLanguage();
  const query = useInfiniteQuery(announcementsQuery(api));
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const titleOf = (one: Announcement) => (language === 'en' ? one.title_en : one.title_zh);
  const audienceOf = ({ audience, model, addressed_accounts: addressed }: Announcement) => {
    const count = addressed?.toScreenNumber() ?? 0;
    if (audience === 'all') return t('audience.all');
    return audience === 'model' ? t('users', { count, model: model ?? '' }) : t('addressed', { count });
  };
  const mailOf = ({ mailing }: Announcement) => {
    if (!mailing) return '–';
    const [queued, recipients] = [mailing.queued.toString(), mailing.recipients.toString()];
    const text = t(`mail.${mailing.state}`, { queued, recipients });
    if (mailing.skipped.isZero) return text;
    return t('mail.skipped', { text, skipped: mailing.skipped.toString() });
  };
  const columns: Column<Announcement>[] = [
    {
      key: 'title',
      title: t('column.title'),
      place: 'title',
      cell: (one) => <MiddleCut text={titleOf(one)} width="15rem" />,
    },
    {
      key: 'state',
      title: t('column.state'),
      place: 'status',
      cell: (one) => (
        <>
          <Badge variant="default" tt="none">
            {t(`state.${stateOf(one)}`)}
          </Badge>
          <Text size="sm" c="dimmed" title={t('column.severity')}>
            {t(`severity.${one.severity}`)}
          </Text>
        </>
      ),
    },
    {
      key: 'audience',
      title: t('column.audience'),
      cell: (one) => <MiddleCut text={audienceOf(one)} width="12rem" />,
    },
    { key: 'starts', title: t('column.starts'), cell: ({ starts_at: at }) => <Time value={at} /> },
    {
      key: 'ends',
      title: t('column.ends'),
      cell: ({ ends_at: at }) => (at === null ? t('untilEnded') : <Time value={at} />),
    },
    {
      key: 'dismissed',
      title: t('column.dismissed'),
      cell: ({ dismissed_by: count }) => <Quantity value={count} />,
    },
    { key: 'mail', title: t('column.mail'), cell: mailOf },
    ...(may('PUT /api/admin/announcements/:id')
      ? [
          {
            key: 'actions',
            title: t('column.actions'),
            isTitleHidden: true,
            cell: (one: Announcement) => (
              <Group gap={4} wrap="nowrap" justify="flex-end">
                <Tooltip label={t('edit.title')}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('edit.named', { title: titleOf(one) })}
                    onClick={() => setOpened({ edited: one })}
                  >
                    <Pencil size={16} />
                  </ActionIcon>
                </Tooltip>
                {one.mailing === null && stateOf(one) !== 'ended' && (
                  <Tooltip label={t('mail.action')}>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('mail.named', { title: titleOf(one) })}
                      onClick={() => setOpened({ mailed: one })}
                    >
                      <Mail size={16} />
                    </ActionIcon>
                  </Tooltip>
                )}
                {one.mailing?.state === 'sending' && (
                  <Tooltip label={t('mail.cancel')}>
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={t('mail.cancel.named', { title: titleOf(one) })}
                      onClick={() => setOpened({ stopped: one })}
                    >
                      <MailX size={16} />
                    </ActionIcon>
                  </Tooltip>
                )}
                {stateOf(one) !== 'ended' && (
                  <Tooltip label={t('end')}>
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={t('end.named', { title: titleOf(one) })}
                      onClick={() => setOpened({ ended: one })}
                    >
                      <CircleStop size={16} />
                    </ActionIcon>
                  </Tooltip>
                )}
              </Group>
            ),
          },
        ]
      : []),
  ];
  const actions = (
    <Group gap="xs">
      <CsvButton fileName="announcements.csv" read={() => api.GET('/api/admin/announcements', AS_CSV)} />
      {may('POST /api/admin/announcements') && (
        <Button leftSection={<Plus size={16} />} onClick={() => setOpened('new')}>
          {t('create')}
        </Button>
      )}
    </Group>
  );
  return (
    <Page title={t('title')} description={t('description')} actions={actions}>
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages.every(({ announcements }) => announcements.length === 0)}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {({ pages }) => (
          <DataTable
            label={t('title')}
            columns={columns}
            rows={pages.flatMap(({ announcements }) => announcements)}
            keyOf={({ id }) => id}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
      {opened === 'new' && <AnnouncementDialog onClose={close} />}
      {opened !== undefined && opened !== 'new' && (
        <>
          {'edited' in opened && <AnnouncementDialog announcement={opened.edited} onClose={close} />}
          {'ended' in opened && (
            <EndDialog announcement={opened.ended} title={titleOf(opened.ended)} onClose={close} />
          )}
          {'mailed' in opened && (
            <MailingDialog announcement={opened.mailed} title={titleOf(opened.mailed)} onClose={close} />
          )}
          {'stopped' in opened && (
            <StopDialog announcement={opened.stopped} title={titleOf(opened.stopped)} onClose={close} />
          )}
        </>
      )}
    </Page>
  );
}

interface DialogProps {
  announcement: Announcement;
  title: string;
  onClose: () => void;
}

function StopDialog({ announcement, title, onClose }: DialogProps) {
  const t = useAdminAnnouncementTexts();
  const stop = useCancelMailing();
  const confirm = () =>
    stop.mutate(announcement.id, {
      onSuccess: () => {
        notifications.show({ message: t('mail.cancel.done') });
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={t('mail.cancel.title', { title })}
      text={t('mail.cancel.text')}
      confirmText={t('mail.cancel')}
      doing={stop}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

function EndDialog({ announcement, title, onClose }: DialogProps) {
  const t = useAdminAnnouncementTexts();
  const end = useEndAnnouncement();
  const confirm = () =>
    end.mutate(announcement.id, {
      onSuccess: () => {
        notifications.show({ message: t('end.done') });
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={t('end.title', { title })}
      text={t('end.text')}
      confirmText={t('end')}
      doing={end}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
