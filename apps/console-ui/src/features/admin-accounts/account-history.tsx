import { Button, Code, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../api/account';
import { useConsoleApi } from '../../api/console-api';
import { useSite } from '../../api/site';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { DayField } from '../../components/day-field';
import { ConfirmDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { MiddleCut } from '../../components/middle-cut';
import { QueryState } from '../../components/query-state';
import { type Figure } from '../../figures/figure';
import { Amount } from '../../figures/figure-text';
import { Time } from '../../time/time';
import { useTimeZone } from '../../time/time-zone-context';
import { EVENT_TYPES } from '../admin-events/event-types';
import detailClasses from '../admin-events/event-details.module.css';
import { useSettingsTexts } from '../settings/settings-texts';
import { eventTextKey } from '../settings/text-keys';
import { useWalletTexts } from '../wallet/wallet-texts';
import { AccountLink, useAccountEmails } from './account-link';
import {
  accessQuery,
  notesQuery,
  type TimelineDays,
  timelineRange,
  timelineQuery,
  type TimelineEntry,
  useAddNote,
  useEndSessionOf,
} from './account-queries';
import { useAdminAccountTexts } from './admin-account-texts';

const MAX_NOTE_CHARS = 4_000;

/** What happened to a customer, of all kinds, newest first. */
export function AccountTimeline({ accountId }: { accountId: string }) {
  const [t, settingsText] = [useAdminAccountTexts(), useSettingsTexts()];
  const { timeZone } = useTimeZone();
  const [days, setDays] = useState<TimelineDays>({ first: '', last: '' });
  const api = useConsoleApi();
  const query = useInfiniteQuery(timelineQuery(api, accountId, days, timeZone));
  const others = (query.data ?? []).map(({ actor_id: id }) => (id === accountId ? null : id));
  const emails = useAccountEmails(others);
  const nameOf = ({ kind, type }: TimelineEntry) => {
    const event = EVENT_TYPES.find((known) => known === type);
    return kind === 'event' && event ? settingsText(eventTextKey(event)) : t(`timeline.${kind}`);
  };
  const columns: Column<TimelineEntry>[] = [
    {
      key: 'at',
      title: t('timeline.time'),
      place: 'status',
      cell: ({ at }) => <Time value={at} detail="second" />,
    },
    {
      key: 'what',
      title: t('timeline.what'),
      place: 'title',
      cell: (entry) => (
        <Stack gap={2} align="flex-start" className={detailClasses.type}>
          <Text inherit fw={500}>
            {nameOf(entry)}
          </Text>
          {entry.type !== entry.kind && entry.kind !== 'payment' && <Code>{entry.type}</Code>}
        </Stack>
      ),
    },
    {
      key: 'who',
      title: t('timeline.who'),
      place: 'line',
      cell: ({ actor_id: id }) => {
        if (id === null) return '–';
        return id === accountId ? t('timeline.self') : <AccountLink id={id} emails={emails} />;
      },
    },
    { key: 'details', title: t('details'), cell: (entry) => <EntryDetails entry={entry} /> },
  ];
  const isWhole = days.first === '' && days.last === '';
  return (
    <Stack>
      <Group align="flex-end">
        <DayField
          label={t('timeline.first')}
          value={days.first}
          onChange={(first) => setDays({ ...days, first })}
          isClearable
        />
        <DayField
          label={t('timeline.last')}
          value={days.last}
          onChange={(last) => setDays({ ...days, last })}
          isClearable
        />
        <CsvButton
          fileName="timeline.csv"
          read={() =>
            api.GET('/api/admin/accounts/{id}/timeline', {
              ...AS_CSV,
              params: { path: { id: accountId }, query: timelineRange(days, timeZone) },
            })
          }
        />
      </Group>
      <QueryState
        query={query}
        isEmpty={(entries) => entries.length === 0}
        empty={
          <EmptyState title={t(isWhole ? 'timeline.empty.title' : 'timeline.none.title')}>
            {t(isWhole ? 'timeline.empty.text' : 'timeline.none.text')}
          </EmptyState>
        }
      >
        {(entries) => (
          <DataTable
            label={t('timeline')}
            columns={columns}
            rows={entries}
            keyOf={({ id }) => id}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
    </Stack>
  );
}

function EntryDetails({ entry: { kind, type, details } }: { entry: TimelineEntry }) {
  if (kind === 'payment') return <PaymentDetails status={type} details={details} />;
  if (kind === 'note') return String(details['text'] as string);
  const facts = Object.entries(details).filter(([, value]) => value !== null);
  if (facts.length === 0) return '–';
  return (
    <dl className={detailClasses.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt translate="no">{name}</dt>
          <dd translate={isText(value) ? 'no' : undefined}>
            {Array.isArray(value) ? value.join(', ') : String(value as string)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Words of the API, which are the same in every language. */
const isText = (value: unknown) => typeof value === 'string' || Array.isArray(value);

const PAYMENT_STATES = ['pending', 'paid', 'failed', 'expired'] as const;
const PAYMENT_PROVIDERS = ['card_provider', 'messaging_pay_provider', 'wallet_pay_provider'] as const;

function PaymentDetails({ status, details }: { status: string; details: TimelineEntry['details'] }) {
  const t = useWalletTexts();
  const { currency } = useSite();
  const state = PAYMENT_STATES.find((known) => known === status);
  const provider = PAYMENT_PROVIDERS.find((known) => known === details['provider']);
  const minor = details['amount_minor'] as Figure;
  return (
    <>
      <Amount value={minor.dividedByTenTo(2)} currency={currency} />
      {[state && t(`status.${state}`), provider && t(`provider.${provider}`)]
        .filter(Boolean)
        .map((text) => ` · ${text}`)}
    </>
  );
}

/** What staff has noted, with a field for another note. */
export function AccountNotes({ accountId }: { accountId: string }) {
  const t = useAdminAccountTexts();
  const api = useConsoleApi();
  const query = useInfiniteQuery(notesQuery(api, accountId));
  const add = useAddNote(accountId);
  const may = useMay();
  const form = useForm({
    initialValues: { text: '' },
    validate: { text: (value) => (value.trim() ? null : t('notes.missing')) },
  });
  const submit = ({ text }: typeof form.values) =>
    add.mutate({ text: text.trim() }, { onSuccess: () => form.reset() });
  return (
    <Stack>
      {may('POST /api/admin/accounts/:id/notes') && (
        <form onSubmit={form.onSubmit(submit)} noValidate>
          <Stack gap="xs" align="flex-start">
            {add.error && <ErrorNotice error={add.error} />}
            <Textarea
              label={t('notes.text')}
              description={t('notes.hint')}
              maxLength={MAX_NOTE_CHARS}
              autosize
              minRows={2}
              w="100%"
              {...form.getInputProps('text')}
            />
            <Button type="submit" variant="default" loading={add.isPending}>
              {t('notes.add')}
            </Button>
          </Stack>
        </form>
      )}
      <QueryState
        query={query}
        isEmpty={(notes) => notes.length === 0}
        empty={<EmptyState title={t('notes.empty.title')}>{t('notes.empty.text')}</EmptyState>}
      >
        {(notes) => (
          <Stack gap="sm" align="stretch">
            <Group>
              <CsvButton
                fileName="notes.csv"
                read={() =>
                  api.GET('/api/admin/accounts/{id}/notes', {
                    ...AS_CSV,
                    params: { path: { id: accountId } },
                  })
                }
              />
            </Group>
            {notes.map(({ id, text, author_email: author, created_at: at }) => (
              <Paper key={id} withBorder p="md">
                <Text size="md" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
                  {text}
                </Text>
                <Text size="sm" c="dimmed" mt={4}>
                  {author} · <Time value={at} detail="second" />
                </Text>
              </Paper>
            ))}
            {query.hasNextPage && (
              <Group>
                <Button
                  variant="default"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  {t('notes.more')}
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </QueryState>
    </Stack>
  );
}

/** Where a customer is signed in, and what it has in the other services, without what that holds. */
export function AccountAccess({ accountId }: { accountId: string }) {
  const t = useAdminAccountTexts();
  const api = useConsoleApi();
  const query = useQuery(accessQuery(api, accountId));
  const csv = (part: 'sessions' | 'agents' | 'workspaces') => (
    <CsvButton
      fileName={`${part}.csv`}
      read={() =>
        api.GET(`/api/admin/accounts/{id}/${part}`, { ...AS_CSV, params: { path: { id: accountId } } })
      }
    />
  );
  const mayEnd = useMay()('DELETE /api/admin/accounts/:id/sessions/:sessionId');
  const [ended, setEnded] = useState<{ id: string; device: string }>();
  return (
    <QueryState query={query}>
      {({ sessions, agents, workspaces }) => (
        <Stack gap="xl">
          <Section
            title={t('sessions')}
            csv={csv('sessions')}
            rows={sessions}
            columns={[
              { key: 'device', title: t('sessions.device'), cell: ({ device }) => device },
              { key: 'address', title: t('sessions.address'), cell: ({ ip_address: ip }) => ip ?? '–' },
              {
                key: 'used',
                title: t('sessions.used'),
                cell: ({ last_used_at: at }) => <Time value={at} detail="second" />,
              },
              {
                key: 'actions',
                title: t('keys.actions'),
                isTitleHidden: true,
                cell: (session) =>
                  mayEnd && (
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      color="red"
                      aria-label={t('sessions.endNamed', { device: session.device })}
                      onClick={() => setEnded(session)}
                    >
                      {t('sessions.end')}
                    </Button>
                  ),
              },
            ]}
          />
          {ended && (
            <EndSessionDialog accountId={accountId} session={ended} onClose={() => setEnded(undefined)} />
          )}
          <Section
            title={t('agents')}
            csv={csv('agents')}
            rows={agents}
            columns={[
              { key: 'id', title: t('agents.id'), cell: ({ id }) => <Code>{id}</Code> },
              { key: 'model', title: t('agents.model'), cell: ({ model }) => model ?? '–' },
              { key: 'turns', title: t('agents.turns'), isNumber: true, cell: ({ turns }) => String(turns) },
              {
                key: 'created',
                title: t('agents.created'),
                cell: ({ created_at: at }) => <Time value={at} />,
              },
            ]}
          />
          <Section
            title={t('workspaces')}
            csv={csv('workspaces')}
            rows={workspaces}
            columns={[
              { key: 'name', title: t('workspaces.name'), cell: ({ name }) => <MiddleCut text={name} /> },
              { key: 'id', title: t('workspaces.id'), cell: ({ id }) => <Code>{id}</Code> },
              { key: 'role', title: t('role'), cell: ({ role }) => <Code>{role}</Code> },
              {
                key: 'since',
                title: t('workspaces.since'),
                cell: ({ member_since: at }) => <Time value={at} detail="day" />,
              },
            ]}
          />
        </Stack>
      )}
    </QueryState>
  );
}

function EndSessionDialog({
  accountId,
  session: { id, device },
  onClose,
}: {
  accountId: string;
  session: { id: string; device: string };
  onClose: () => void;
}) {
  const t = useAdminAccountTexts();
  const end = useEndSessionOf(accountId);
  const confirm = () =>
    end.mutate(id, {
      onSuccess: () => {
        notifications.show({ message: t('sessions.done') });
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={t('sessions.endNamed', { device })}
      text={t('sessions.end.text')}
      confirmText={t('sessions.end')}
      doing={end}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

interface SectionProps<Row> {
  title: string;
  csv: ReactNode;
  rows: Row[];
  columns: Column<Row>[];
}

function Section<Row extends { id: string }>({ title, csv, rows, columns }: SectionProps<Row>) {
  const t = useAdminAccountTexts();
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between">
        <Title order={2}>{title}</Title>
        {rows.length > 0 && csv}
      </Group>
      {rows.length === 0 ? (
        <Text size="md" c="dimmed">
          {t('none')}
        </Text>
      ) : (
        <DataTable label={title} columns={columns} rows={rows} keyOf={({ id }) => id} />
      )}
    </Stack>
  );
}
