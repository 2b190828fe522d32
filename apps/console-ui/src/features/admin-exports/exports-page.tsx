import { ActionIcon, Alert, Badge, Button, Code, Paper, Stack, Text, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, CircleDashed, CircleOff, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/account';
import { ApiError } from '../../api/api-error';
import { bodyOf, type ConsoleApi, useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { DayField } from '../../components/day-field';
import { ConfirmDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type Figure } from '../../figures/figure';
import { Bytes, Quantity } from '../../figures/figure-text';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { useLanguage } from '../../language/language';
import { formatDuration, formatTimeRange } from '../../time/format-time';
import { Time } from '../../time/time';
import { Choice } from '../usage/filters';
import classes from '../usage/filters.module.css';
import { withoutGaps } from '../usage/usage-search';
import {
  EXPORT_STATES,
  type ExportedHour,
  type ExportProgress,
  type ExportSearch,
  faultOf,
  parametersOf,
  type Standing,
  standingOf,
} from './export-list';

const en = {
  title: 'Warehouse export',
  description:
    'Usage and ledger of every hour as files with a manifest, for your data warehouse. Hours are in UTC.',
  state: 'Show',
  'state.all': 'All hours',
  'state.exported': 'Exported',
  'state.exporting': 'In progress',
  'state.failed': 'Failed',
  day: 'Day (UTC)',
  hour: 'Hour (UTC)',
  status: 'State',
  version: 'Version',
  usage: 'Calls',
  usageLines: 'Usage lines',
  ledger: 'Transactions',
  written: 'Written',
  'fault.storage': 'The storage refused the files or could not be reached.',
  'fault.books': 'The rows do not match the books.',
  actions: 'Actions',
  repeat: 'Export again',
  'repeat.named': 'Export {{hour}} UTC again',
  'repeat.title': 'Export {{hour}} UTC again?',
  'repeat.text':
    'Version {{version}} of this hour is written, and then the files of version {{current}} are deleted. Your warehouse has to load the hour again. Closed hours do not change: you need this only if the hour was corrected in the database, or if files were lost.',
  'repeat.busy':
    'This hour is being exported, or its usage is only in the archive. Restore it from there first.',
  'repeat.done': 'The hour will be exported again within minutes.',
  'off.title': 'The export is off',
  'off.text':
    'To turn it on, set EXPORT_S3_BUCKET or EXPORT_STORAGE_FOLDER to the same value for every console and restart them. The guide has all settings:',
  'unbegun.title': 'No hour is closed yet',
  'unbegun.text': 'The first one is exported about two minutes after the end of the first hour with usage.',
  'none.title': 'No hour is exported yet',
  'none.text': 'The first one appears here within minutes.',
  'failed.title_one': '{{count}} hour could not be exported',
  'failed.title_other': '{{count}} hours could not be exported',
  'failed.text': 'Each is tried again every five minutes. Other hours are exported meanwhile.',
  'failed.show': 'Show failed hours',
  'behind.title_one': '{{count}} hour is waiting to be exported',
  'behind.title_other': '{{count}} hours are waiting to be exported',
  'behind.text': 'The oldest one ended {{lag}} ago. They are exported one after another, oldest first.',
  'late.title': 'The last hour is not closed yet',
  'late.text':
    'It ended {{lag}} ago. An hour is exported once all of its usage is booked, which usually takes two minutes.',
  'current.title': 'Up to date',
  'current.text': 'All closed hours are exported.',
  closedUntil: 'Closed until',
  'empty.title': 'No such hours',
  'empty.text': 'Change the filters, or show all hours.',
  clear: 'Show all hours',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '数据仓库导出',
  description: '每小时的用量和账本会导出为文件并附带清单，供数据仓库读取。小时均为 UTC。',
  state: '显示',
  'state.all': '全部小时',
  'state.exported': '已导出',
  'state.exporting': '导出中',
  'state.failed': '失败',
  day: '日期（UTC）',
  hour: '小时（UTC）',
  status: '状态',
  version: '版本',
  usage: '调用次数',
  usageLines: '用量明细',
  ledger: '账本记录',
  written: '导出时间',
  'fault.storage': '存储无法连接，或拒绝写入文件。',
  'fault.books': '导出的数据与账目不一致。',
  actions: '操作',
  repeat: '重新导出',
  'repeat.named': '重新导出 {{hour}} UTC',
  'repeat.title': '重新导出 {{hour}} UTC？',
  'repeat.text':
    '系统会写入该小时的第 {{version}} 版文件，然后删除第 {{current}} 版的文件，数据仓库需要重新加载这一小时。已关账的小时不会再变化，只有在数据库中更正过数据或文件丢失时才需要重新导出。',
  'repeat.busy': '该小时正在导出，或其用量数据仅存于归档中。如在归档中，请先恢复。',
  'repeat.done': '该小时将在几分钟内重新导出。',
  'off.title': '导出未启用',
  'off.text':
    '如需启用，请为所有控制台服务设置相同的 EXPORT_S3_BUCKET 或 EXPORT_STORAGE_FOLDER，然后重启。全部配置项见指南：',
  'unbegun.title': '还没有已关账的小时',
  'unbegun.text': '首个产生用量的小时结束约两分钟后，将开始导出。',
  'none.title': '还没有导出任何小时',
  'none.text': '首个小时将在几分钟内显示在这里。',
  'failed.title_other': '{{count}} 个小时导出失败',
  'failed.text': '系统每五分钟重试一次，不影响其他小时的导出。',
  'failed.show': '查看失败的小时',
  'behind.title_other': '{{count}} 个小时等待导出',
  'behind.text': '其中最早的一个已结束 {{lag}}。系统会从最早的开始依次导出。',
  'late.title': '最近一小时尚未关账',
  'late.text': '该小时已结束 {{lag}}。全部用量入账后才会导出，通常需要两分钟。',
  'current.title': '已是最新',
  'current.text': '所有已关账的小时均已导出。',
  closedUntil: '已关账至',
  'empty.title': '没有符合条件的小时',
  'empty.text': '请更改筛选条件，或显示全部小时。',
  clear: '显示全部小时',
};

const useExportTexts = defineTexts('admin-exports', en, zh);

const EXPORTS = 'admin-exports';
const GUIDE = 'docs/operations/export.md';
const HOUR_MILLIS = 3_600_000;
const CONFLICT = 409;
/** The export takes a turn every minute. */
const POLL_MILLIS = 15_000;

const progressQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: [EXPORTS, 'progress'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/admin/exports/progress', { signal })),
    refetchInterval: POLL_MILLIS,
    staleTime: 0,
  });

/** Asks again while an hour in it is not exported. */
const hoursQuery = (api: ConsoleApi, search: ExportSearch) =>
  infiniteQueryOptions({
    queryKey: [EXPORTS, 'hours', search],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...pageParam, ...parametersOf(search) };
      return bodyOf(api.GET('/api/admin/exports', { signal, params: { query } }));
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ exports }) => exports),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ exports }) => exports.some(({ state }) => state !== 'exported')) && POLL_MILLIS,
    staleTime: 0,
  });

/** What of usage and ledger is exported to a warehouse. */
export function ExportsPage() {
  const t = useExportTexts();
  const api = useConsoleApi();
  const search = useSearch({ from: '/console/admin/admin/exports' });
  const navigate = useNavigate();
  const query = useInfiniteQuery(hoursQuery(api, search));
  const progress = useQuery(progressQuery(api));
  const goTo = (next: ExportSearch) => void navigate({ to: '/admin/exports', search: next, replace: true });
  const change = (changed: { [Name in keyof ExportSearch]?: ExportSearch[Name] | undefined }) =>
    goTo(withoutGaps({ ...search, ...changed }));
  const isFiltered = Object.keys(search).length > 0;
  const isEmpty = query.data?.length === 0 && !isFiltered;
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <CsvButton
          fileName="exports.csv"
          read={() => api.GET('/api/admin/exports', { ...AS_CSV, params: { query: parametersOf(search) } })}
        />
      }
    >
      {progress.error && <ErrorNotice error={progress.error} onRetry={() => void progress.refetch()} />}
      {progress.data && !isEmpty && (
        <StandingNotice progress={progress.data} onShowFailed={() => goTo({ state: 'failed' })} />
      )}
      <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('title')}>
        <Choice
          label={t('state')}
          value={search.state ?? ''}
          options={[
            { value: '', label: t('state.all') },
            ...EXPORT_STATES.map((value) => ({ value, label: t(`state.${value}`) })),
          ]}
          onChoose={(value) => change({ state: value || undefined })}
        />
        <DayField
          label={t('day')}
          value={search.day ?? ''}
          onChange={(day) => change({ day: day || undefined })}
          isClearable
        />
      </Paper>
      <QueryState
        query={query}
        isEmpty={(hours) => hours.length === 0}
        empty={
          isFiltered ? (
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
          ) : (
            <NothingYet standing={progress.data && standingOf(progress.data)} />
          )
        }
      >
        {(hours) => (
          <HourTable
            hours={hours}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
    </Page>
  );
}

function NothingYet({ standing }: { standing: Standing | undefined }) {
  const t = useExportTexts();
  const reason = standing === 'off' || standing === 'unbegun' ? standing : 'none';
  return (
    <EmptyState title={t(`${reason}.title`)}>
      {t(`${reason}.text`)} {reason === 'off' && <Code>{GUIDE}</Code>}
    </EmptyState>
  );
}

const NOTICES = {
  off: { color: 'gray', icon: <CircleOff size={18} /> },
  unbegun: { color: 'gray', icon: <CircleDashed size={18} /> },
  failed: { color: 'red', icon: <CircleAlert size={18} /> },
  behind: { color: 'blue', icon: <CircleDashed size={18} /> },
  late: { color: 'orange', icon: <CircleAlert size={18} /> },
  current: { color: 'green', icon: <CircleCheck size={18} /> },
} satisfies Record<Standing, object>;

/** How far the export is, and what it waits for. */
function StandingNotice({ progress, onShowFailed }: { progress: ExportProgress; onShowFailed: () => void }) {
  const t = useExportTexts();
  const { language } = useLanguage();
  const standing = standingOf(progress);
  const { closed_until: closedUntil } = progress;
  const lag = formatDuration(progress.lag_seconds.toScreenNumber() * 1_000, language);
  const titleOf = () => {
    if (standing === 'failed') return t('failed.title', { count: progress.failed_hours.toScreenNumber() });
    if (standing === 'behind') return t('behind.title', { count: progress.open_hours.toScreenNumber() });
    return t(`${standing}.title`);
  };
  return (
    <div role="status">
      <Alert variant="light" {...NOTICES[standing]} title={titleOf()}>
        <Stack gap="xs" align="flex-start">
          <Text size="md">
            {standing === 'behind' || standing === 'late'
              ? t(`${standing}.text`, { lag })
              : t(`${standing}.text`)}{' '}
            {standing === 'off' && <Code>{GUIDE}</Code>}
          </Text>
          {closedUntil !== null && (
            <Text size="md">
              {t('closedUntil')} <Time value={closedUntil} />
            </Text>
          )}
          {standing === 'failed' && (
            <Button size="xs" variant="default" onClick={onShowFailed}>
              {t('failed.show')}
            </Button>
          )}
        </Stack>
      </Alert>
    </div>
  );
}

/** An hour of UTC: `Jan 31, 2026, 07:00 – 08:00`. */
function useHourName(): (hour: string) => string {
  const { language } = useLanguage();
  return (hour) => {
    const start = new Date(hour);
    return formatTimeRange(start, new Date(start.getTime() + HOUR_MILLIS), { language, timeZone: 'UTC' });
  };
}

/** Leaves room for the figures beside it. */
const FAULT_WIDTH = '18rem';

const COLORS = { exported: 'green', exporting: 'blue', failed: 'red' } as const;

interface Props {
  hours: ExportedHour[];
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

function HourTable({ hours, onMore, isLoadingMore }: Props) {
  const t = useExportTexts();
  const nameOf = useHourName();
  const mayRepeat = useMay()('POST /api/admin/exports/:hour/repeat');
  const [repeated, setRepeated] = useState<ExportedHour>();
  const columns: Column<ExportedHour>[] = [
    {
      key: 'hour',
      title: t('hour'),
      place: 'title',
      cell: ({ hour }) => (
        <Text component="time" inherit fw={500} dateTime={hour}>
          {nameOf(hour)}
        </Text>
      ),
    },
    {
      key: 'status',
      title: t('status'),
      place: 'status',
      cell: ({ state, error }) => (
        <Stack gap={2} align="flex-start">
          <Badge variant="dot" color={COLORS[state]} tt="none" fw={500}>
            {t(`state.${state}`)}
          </Badge>
          {state === 'failed' && error !== null && <Fault error={error} />}
        </Stack>
      ),
    },
    setColumn('usage', t('usage'), ({ usage_rows: rows, usage_bytes: bytes }) => ({ rows, bytes })),
    setColumn('usageLines', t('usageLines'), ({ usage_line_rows: rows, usage_line_bytes: bytes }) => ({
      rows,
      bytes,
    })),
    setColumn('ledger', t('ledger'), ({ ledger_rows: rows, ledger_bytes: bytes }) => ({ rows, bytes })),
    {
      key: 'version',
      title: t('version'),
      isNumber: true,
      place: 'more',
      cell: ({ version }) => version.toString(),
    },
    {
      key: 'written',
      title: t('written'),
      place: 'more',
      cell: ({ exported_at: at }) => (at === null ? '–' : <Time value={at} />),
    },
    ...(mayRepeat
      ? [
          {
            key: 'actions',
            title: t('actions'),
            isTitleHidden: true,
            cell: (hour: ExportedHour) =>
              hour.state === 'exported' && (
                <Tooltip label={t('repeat')}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('repeat.named', { hour: nameOf(hour.hour) })}
                    onClick={() => setRepeated(hour)}
                  >
                    <RotateCw size={16} />
                  </ActionIcon>
                </Tooltip>
              ),
          },
        ]
      : []),
  ];
  return (
    <>
      <DataTable
        label={t('title')}
        columns={columns}
        rows={hours}
        keyOf={({ hour }) => hour}
        onMore={onMore}
        isLoadingMore={isLoadingMore}
      />
      {repeated && <RepeatDialog hour={repeated} onClose={() => setRepeated(undefined)} />}
    </>
  );
}

/** Rows and size of a set. */
const setColumn = (
  key: string,
  title: string,
  read: (hour: ExportedHour) => { rows: Figure | null; bytes: Figure | null },
): Column<ExportedHour> => ({
  key,
  title,
  isNumber: true,
  place: 'more',
  cell: (hour) => {
    const { rows, bytes } = read(hour);
    if (rows === null || bytes === null) return '–';
    return (
      <>
        <Quantity value={rows} />
        <Text component="div" size="sm" c="dimmed">
          <Bytes value={bytes} />
        </Text>
      </>
    );
  },
});

function Fault({ error }: { error: string }) {
  const t = useExportTexts();
  const { kind, detail } = faultOf(error);
  return (
    <Text size="sm" c="dimmed" maw={FAULT_WIDTH} style={{ whiteSpace: 'normal' }}>
      {kind !== 'other' && t(`fault.${kind}`)} <span translate="no">{detail}</span>
    </Text>
  );
}

function RepeatDialog({ hour: { hour, version }, onClose }: { hour: ExportedHour; onClose: () => void }) {
  const t = useExportTexts();
  const nameOf = useHourName();
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  const repeat = useMutation({
    mutationFn: () => bodyOf(api.POST('/api/admin/exports/{hour}/repeat', { params: { path: { hour } } })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [EXPORTS] }),
  });
  const confirm = () =>
    repeat.mutate(undefined, {
      onSuccess: () => {
        notifications.show({ message: t('repeat.done') });
        onClose();
      },
    });
  const current = version.toScreenNumber();
  return (
    <ConfirmDialog
      title={t('repeat.title', { hour: nameOf(hour) })}
      text={t('repeat.text', { current, version: current + 1 })}
      confirmText={t('repeat')}
      doing={repeat}
      errorText={
        repeat.error instanceof ApiError && repeat.error.status === CONFLICT ? t('repeat.busy') : undefined
      }
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
