import { Anchor, Button, Paper } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { DayField } from '../../components/day-field';
import { downloadText } from '../../components/csv-button';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { alignedAmounts, Quantity } from '../../figures/figure-text';
import { useMay } from '../../api/account';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { dayOf, daysBetween } from '../../time/calendar-day';
import { useTimeZone } from '../../time/time-zone-context';
import { Choice } from '../usage/filters';
import classes from '../usage/filters.module.css';
import { useEntrypointName } from '../usage/usage-queries';
import { periodOf } from '../usage/usage-period';
import { RANGES, withoutGaps } from '../usage/usage-search';
import { useUsageTexts } from '../usage/usage-texts';
import { costGroupsQuery, type CostItem, costTotalQuery, useCostReportCsv } from './cost-report-queries';
import { type CostReportSearch, GROUPS, type ReportGroup } from './cost-report-search';

const en = {
  title: 'Cost of all accounts',
  description: 'Cost of all accounts in USD, highest first.',
  csv: 'Download CSV',
  'by.user': 'Account',
  'by.model': 'Model',
  'by.entrypoint': 'Source',
  'by.api_key': 'API key',
  tokens: 'Tokens',
  cost: 'Cost in USD',
  total: 'Total',
  'empty.title': 'No usage in this period',
  'empty.text': 'Choose another period. Calls appear here as soon as they are charged.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '全部账户费用',
  description: '所有账户的费用（美元），按费用从高到低排列。',
  csv: '下载 CSV',
  'by.user': '账户',
  'by.model': '模型',
  'by.entrypoint': '来源',
  'by.api_key': 'API 密钥',
  tokens: 'Token 数',
  cost: '费用（美元）',
  total: '合计',
  'empty.title': '该时间范围内没有账户产生用量',
  'empty.text': '请更换时间范围。调用计费后会立即显示在这里。',
};

const useCostReportTexts = defineTexts('cost-report', en, zh);

/** The report is in USD on both sites. */
const CURRENCY = 'USD';

interface Props {
  group: ReportGroup;
  items: CostItem[];
  /** Undefined until it is known. */
  total: CostItem | undefined;
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

function CostReportTable({ group, items, total, onMore, isLoadingMore }: Props) {
  const [t, usageText] = [useCostReportTexts(), useUsageTexts()];
  const entrypointName = useEntrypointName();
  const nameOf = ({ user, email, model, entrypoint, api_key: key }: CostItem) => {
    switch (group) {
      case 'user':
        return email === undefined ? (
          user
        ) : (
          <Anchor component={Link} to={`/admin/accounts/${user!}`} inherit>
            {email}
          </Anchor>
        );
      case 'model':
        return <span translate="no">{model}</span>;
      case 'entrypoint':
        return entrypointName(entrypoint!);
      case 'api_key':
        return key ?? usageText('filter.noKey');
    }
  };
  const costs = items.map(({ cost_usd: cost }) => cost);
  const amount = alignedAmounts(total ? [total.cost_usd, ...costs] : costs);
  const columns: Column<CostItem>[] = [
    { key: 'group', title: t(`by.${group}`), cell: nameOf, footer: t('total') },
    {
      key: 'tokens',
      title: t('tokens'),
      isNumber: true,
      cell: ({ tokens }) => <Quantity value={tokens} />,
      footer: total ? <Quantity value={total.tokens} /> : '…',
    },
    {
      key: 'cost',
      title: t('cost'),
      isNumber: true,
      cell: ({ cost_usd: cost }) => amount(cost, CURRENCY),
      footer: total ? amount(total.cost_usd, CURRENCY) : '…',
    },
  ];
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={items}
      keyOf={(item) => item[group] ?? ''}
      onMore={onMore}
      isLoadingMore={isLoadingMore}
    />
  );
}

/** The cost of all accounts in a period, divided by account, model, source or API key. */
export function CostReportPage() {
  const [t, usageText] = [useCostReportTexts(), useUsageTexts()];
  const api = useConsoleApi();
  const search = useSearch({ from: '/console/analyst/cost-report' });
  const navigate = useNavigate();
  const { timeZone: ownZone, zones } = useTimeZone();
  const { range = '30d', by: group = 'user', zone: timeZone = ownZone } = search;
  const hasEmails = useMay()('GET /api/admin/accounts');
  const period = periodOf(search, dayOf(new Date(), timeZone));
  const isInOrder = daysBetween(period.first, period.last).length > 0;
  const question = { ...period, timeZone, group, hasEmails };
  const groups = useInfiniteQuery({ ...costGroupsQuery(api, question), enabled: isInOrder });
  const total = useQuery({ ...costTotalQuery(api, question), enabled: isInOrder });
  const fileName = `cost-by-${group}-${period.first}-${period.last}.csv`;
  const csv = useCostReportCsv(question, fileName);
  const change = (changed: { [Name in keyof CostReportSearch]?: CostReportSearch[Name] | undefined }) =>
    void navigate({ to: '/cost-report', search: withoutGaps({ ...search, ...changed }), replace: true });
  const download = () =>
    csv.mutate(undefined, { onSuccess: (text) => downloadText(text, { fileName, type: 'text/csv' }) });
  const dayField = (name: 'from' | 'to', value: string) => (
    <DayField
      label={usageText(name)}
      value={value}
      // An emptied field keeps the day that it had.
      onChange={(day) => day && change({ [name]: day })}
    />
  );
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <Button
          variant="default"
          leftSection={<Download size={16} />}
          disabled={!groups.data?.items.length || groups.isPlaceholderData}
          loading={csv.isPending}
          onClick={download}
        >
          {t('csv')}
        </Button>
      }
    >
      {csv.error && <ErrorNotice error={csv.error} onRetry={download} />}
      {total.error && !groups.error && (
        <ErrorNotice error={total.error} onRetry={() => void total.refetch()} />
      )}
      <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('title')}>
        <Choice
          label={usageText('range')}
          value={range}
          options={RANGES.map((value) => ({ value, label: usageText(`range.${value}`) }))}
          onChoose={(value) =>
            change({
              range: value,
              from: value === 'custom' ? period.first : undefined,
              to: value === 'custom' ? period.last : undefined,
            })
          }
        />
        {range === 'custom' && dayField('from', period.first)}
        {range === 'custom' && dayField('to', period.last)}
        <Choice
          label={usageText('group')}
          value={group}
          options={GROUPS.map((value) => ({ value, label: t(`by.${value}`) }))}
          onChoose={(value) => change({ by: value })}
        />
        <Choice
          label={usageText('zone')}
          value={timeZone}
          options={[...new Set([zones.site, zones.browser, zones.utc, timeZone])].map((value) => ({
            value,
            label: value,
          }))}
          onChoose={(value) => change({ zone: value })}
        />
      </Paper>
      {isInOrder ? (
        <QueryState
          query={groups}
          isEmpty={({ items }) => items.length === 0}
          empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
        >
          {({ items, question: { group: shownGroup } }) => (
            <CostReportTable
              group={shownGroup}
              items={items}
              total={total.data}
              onMore={groups.hasNextPage ? () => void groups.fetchNextPage() : undefined}
              isLoadingMore={groups.isFetchingNextPage}
            />
          )}
        </QueryState>
      ) : (
        <EmptyState title={usageText('order.title')}>{usageText('order.text')}</EmptyState>
      )}
    </Page>
  );
}
