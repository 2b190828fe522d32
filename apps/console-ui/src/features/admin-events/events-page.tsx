import { Button, Code, Paper, Stack, Text } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { DayField } from '../../components/day-field';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type ChineseTexts, defineTexts, type PlainTextKey } from '../../language/define-texts';
import { addDays } from '../../time/calendar-day';
import { Time } from '../../time/time';
import { useTimeZone } from '../../time/time-zone-context';
import { AccountField, AccountLink, useAccountEmails } from '../admin-accounts/account-link';
import { useSettingsTexts } from '../settings/settings-texts';
import { eventTextKey } from '../settings/text-keys';
import { Choice } from '../usage/filters';
import classes from '../usage/filters.module.css';
import { withoutGaps } from '../usage/usage-search';
import detailClasses from './event-details.module.css';
import { type EventSearch } from './event-search';
import { EVENT_TYPES, type EventType } from './event-types';

const en = {
  title: 'Audit events',
  description: 'Sign-ins, security changes and actions of administrators, newest first.',
  account: 'Account',
  by: 'Done by',
  from: 'First day',
  to: 'Last day',
  type: 'Event',
  'type.all': 'All',
  time: 'Time',
  'actor.self': 'By the account itself',
  'actor.admin': 'By the administrator',
  'actor.admin.named': 'By the administrator: ',
  'actor.nobody': 'Not signed in',
  address: 'IP address',
  details: 'Details',
  'empty.title': 'No events',
  'empty.text': 'Change the filters, or show all events.',
  clear: 'Show all events',
  yes: 'yes',
  no: 'no',
  'event.announcement': 'Announcement changed',
  'event.changelog': 'Changelog changed',
  'event.rates': 'Exchange rates published',
  'event.model': 'Model changed',
  'event.packageRemoved': 'Model package removed',
  'event.packageUploaded': 'Model package uploaded',
  'event.prices': 'Prices published',
  'event.servedModel': 'Served model changed',
  'event.upstream': 'Upstream changed',
  'event.export': 'Hour exported anew',
  'event.providerEvent': 'Provider event closed',
  'event.release': 'Release changed',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '审计事件',
  description: '登录、安全变更和管理员操作，最新的在前。',
  account: '账户',
  by: '操作者',
  from: '开始日期',
  to: '结束日期',
  type: '事件',
  'type.all': '全部',
  time: '时间',
  'actor.self': '本人操作',
  'actor.admin': '管理员',
  'actor.admin.named': '管理员：',
  'actor.nobody': '未登录',
  address: 'IP 地址',
  details: '详情',
  'empty.title': '没有事件',
  'empty.text': '请更改筛选条件，或显示全部事件。',
  clear: '显示全部事件',
  yes: '是',
  no: '否',
  'event.announcement': '公告已更改',
  'event.changelog': '更新日志已更改',
  'event.rates': '汇率已发布',
  'event.model': '模型已更改',
  'event.packageRemoved': '模型包已移除',
  'event.packageUploaded': '模型包已上传',
  'event.prices': '价格已发布',
  'event.servedModel': '模型设置已更改',
  'event.upstream': '上游服务已更改',
  'event.export': '重新导出某小时数据',
  'event.providerEvent': '支付渠道事件已处理',
  'event.release': '发布版本已更改',
};

const useAdminEventTexts = defineTexts('admin-events', en, zh);

type AuditEvent = Schemas['AuditEventResponse'];

type KnownSearch = Omit<EventSearch, 'type'> & { type?: EventType };

/** The parameters of the service; the end of a period is not part of it. */
const parametersOf = ({ account, actor, type, from, to }: KnownSearch, timeZone: string) => ({
  time_zone: timeZone,
  ...withoutGaps({
    account_id: account,
    actor_id: actor,
    type,
    from,
    to: to === undefined ? undefined : addDays(to, 1),
  }),
});

const allEventsQuery = (api: ConsoleApi, search: KnownSearch, timeZone: string) =>
  infiniteQueryOptions({
    queryKey: ['admin-events', parametersOf(search, timeZone)],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...pageParam, ...parametersOf(search, timeZone) };
      return bodyOf(api.GET('/api/admin/events', { signal, params: { query } }));
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    staleTime: 0,
  });

/** Changes of the site, which no customer sees among the own events. */
const KEYS: Partial<Record<EventType, PlainTextKey<typeof en>>> = {
  'admin.announcement_changed': 'event.announcement',
  'admin.changelog_changed': 'event.changelog',
  'admin.exchange_rates_published': 'event.rates',
  'admin.export_repeated': 'event.export',
  'admin.model_changed': 'event.model',
  'admin.package_removed': 'event.packageRemoved',
  'admin.package_uploaded': 'event.packageUploaded',
  'admin.prices_published': 'event.prices',
  'admin.provider_event_closed': 'event.providerEvent',
  'admin.release_changed': 'event.release',
  'admin.served_model_changed': 'event.servedModel',
  'admin.upstream_changed': 'event.upstream',
};

/** Names a type of events for people. */
function useEventName(): (type: EventType) => string {
  const [t, settingsText] = [useAdminEventTexts(), useSettingsTexts()];
  return (type) => {
    const key = KEYS[type];
    return key ? t(key) : settingsText(eventTextKey(type));
  };
}

export function AdminEventsPage() {
  const api = useConsoleApi();
  const t = useAdminEventTexts();
  const nameOf = useEventName();
  const { type: named, ...others } = useSearch({ from: '/console/admin/admin/events' });
  const search = { ...others, ...withoutGaps({ type: EVENT_TYPES.find((type) => type === named) }) };
  const navigate = useNavigate();
  const { timeZone } = useTimeZone();
  const query = useInfiniteQuery(allEventsQuery(api, search, timeZone));
  const goTo = (next: EventSearch) => void navigate({ to: '/admin/events', search: next, replace: true });
  const change = (changed: { [Name in keyof EventSearch]?: EventSearch[Name] | undefined }) =>
    goTo(withoutGaps({ ...search, ...changed }));
  const dayField = (name: 'from' | 'to') => (
    <DayField
      label={t(name)}
      value={search[name] ?? ''}
      onChange={(day) => change({ [name]: day || undefined })}
      isClearable
    />
  );
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <CsvButton
          fileName="events.csv"
          read={() =>
            api.GET('/api/admin/events', {
              ...AS_CSV,
              params: { query: parametersOf(search, timeZone) },
            })
          }
        />
      }
    >
      <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('title')}>
        <AccountField account={search.account} onChange={(account) => change({ account })} />
        <AccountField label={t('by')} account={search.actor} onChange={(actor) => change({ actor })} />
        <Choice
          label={t('type')}
          value={search.type ?? ''}
          options={[
            { value: '', label: t('type.all') },
            ...EVENT_TYPES.map((value) => ({ value, label: `${nameOf(value)} (${value})` })),
          ]}
          onChoose={(value) => change({ type: value || undefined })}
          isSearchable
        />
        {dayField('from')}
        {dayField('to')}
      </Paper>
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages[0]?.events.length === 0}
        empty={
          <EmptyState
            title={t('empty.title')}
            action={
              <Button variant="default" onClick={() => goTo({})}>
                {t('clear')}
              </Button>
            }
          >
            {t('empty.text')}
          </EmptyState>
        }
      >
        {({ pages }) => (
          <EventTable
            events={pages.flatMap(({ events }) => events)}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
    </Page>
  );
}

interface Props {
  events: AuditEvent[];
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

function EventTable({ events, onMore, isLoadingMore }: Props) {
  const t = useAdminEventTexts();
  const nameOf = useEventName();
  const emails = useAccountEmails(events.flatMap(({ account_id: id, actor_id: by }) => [id, by]));
  const columns: Column<AuditEvent>[] = [
    {
      key: 'time',
      title: t('time'),
      place: 'status',
      cell: ({ created_at: at }) => <Time value={at} detail="second" />,
    },
    {
      key: 'type',
      title: t('type'),
      place: 'title',
      cell: ({ type }) => (
        <Stack gap={2} align="flex-start" className={detailClasses.type}>
          <Text inherit fw={500}>
            {nameOf(type)}
          </Text>
          <Code>{type}</Code>
        </Stack>
      ),
    },
    {
      key: 'account',
      title: t('account'),
      place: 'line',
      cell: (event) => <EventAccount event={event} emails={emails} />,
    },
    { key: 'details', title: t('details'), cell: (event) => <EventDetails event={event} /> },
    {
      key: 'address',
      title: t('address'),
      cell: ({ address, user_agent: program }) => (
        <span translate="no" title={program ?? undefined}>
          {address ?? '–'}
        </span>
      ),
    },
  ];
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={events}
      keyOf={({ id }) => id}
      onMore={onMore}
      isLoadingMore={isLoadingMore}
    />
  );
}

/** Whom the event concerns, and below it who did it. */
function EventAccount({ event, emails }: { event: AuditEvent; emails: Map<string, string> }) {
  const t = useAdminEventTexts();
  const { account_id: id, actor, actor_id: actorId } = event;
  const by = t(`actor.${actor ?? 'nobody'}`);
  return (
    <div className={detailClasses.account}>
      {id === null ? '–' : <AccountLink id={id} emails={emails} />}
      <Text size="sm" c="dimmed">
        {actor === 'admin' && actorId !== null ? (
          <>
            {t('actor.admin.named')}
            <AccountLink id={actorId} emails={emails} />
          </>
        ) : (
          by
        )}
      </Text>
    </div>
  );
}

/** The further facts of an event, each with its name. */
function EventDetails({ event: { details } }: { event: AuditEvent }) {
  const t = useAdminEventTexts();
  const facts = Object.entries(details);
  if (facts.length === 0) return '–';
  const textOf = (value: unknown) => {
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
    return value === null ? '–' : String(value as string);
  };
  return (
    <dl className={detailClasses.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt translate="no">{name}</dt>
          <dd translate={typeof value === 'string' ? 'no' : undefined}>{textOf(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
