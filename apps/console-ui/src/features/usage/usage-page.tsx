import { Button, Paper, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useConsoleApi } from '../../api/console-api';
import { downloadText } from '../../components/csv-button';
import { DayField } from '../../components/day-field';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Figure } from '../../figures/figure';
import { dayOf, daysBetween } from '../../time/calendar-day';
import { useTimeZone } from '../../time/time-zone-context';
import { CallFilters, Choice } from './filters';
import classes from './filters.module.css';
import { ProofStrip } from './proof-strip';
import { type UsageRow, usageQuery, useUsageCsv } from './usage-queries';
import { UsageReportView } from './usage-report-view';
import { UsageSummary } from './usage-summary';
import { type Period, periodBefore, usagePeriodOf } from './usage-period';
import { BUCKETS, DIMENSIONS, USAGE_RANGES, type UsageSearch, withoutGaps } from './usage-search';
import { useUsageTexts } from './usage-texts';

const MOST_DAYS_BY_HOUR = 31;
const SKELETON_PIXELS = 520;

export function UsagePage() {
  const t = useUsageTexts();
  const search = useSearch({ from: '/console/usage' });
  const navigate = useNavigate();
  const { timeZone: ownZone } = useTimeZone();
  const { bucket = bucketOf(search), group: dimension = 'model', zone: timeZone = ownZone } = search;
  const now = new Date();
  const period = usagePeriodOf(search, now, (instant) => dayOf(instant, timeZone));
  const before = periodBefore(search, period, now, dayOf(now, timeZone));
  const days = daysBetween(period.first, period.last).length;
  const isTooLong = bucket === 'hour' && days > MOST_DAYS_BY_HOUR;
  const { model, key: apiKeyId, entrypoint } = search;
  const question = { ...period, timeZone, bucket, dimension, model, apiKeyId, entrypoint };
  const query = useQuery({ ...usageQuery(useConsoleApi(), question), enabled: !isTooLong && days > 0 });
  const change = (changed: { [Name in keyof UsageSearch]?: UsageSearch[Name] | undefined }) =>
    void navigate({ to: '/usage', search: withoutGaps({ ...search, ...changed }), replace: true });
  const drill = ({ id }: { id: string }) => {
    const filter = dimension === 'api_key' ? 'key' : dimension;
    const next = DIMENSIONS[(DIMENSIONS.indexOf(dimension) + 1) % DIMENSIONS.length];
    change({ [filter]: id, group: next });
  };
  const fileName = `usage-${period.first}-${period.last}.csv`;
  const csv = useUsageCsv(question, fileName);
  const download = () =>
    csv.mutate(undefined, { onSuccess: (text) => downloadText(text, { fileName, type: 'text/csv' }) });
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <Button
          variant="default"
          leftSection={<Download size={16} />}
          disabled={!query.data?.rows.length || query.isPlaceholderData}
          loading={csv.isPending}
          onClick={download}
        >
          {t('csv')}
        </Button>
      }
    >
      <UsageFilters search={search} period={period} timeZone={timeZone} onChange={change} />
      {days === 0 && <EmptyState title={t('order.title')}>{t('order.text')}</EmptyState>}
      {isTooLong && <EmptyState title={t('tooLong.title')}>{t('tooLong.text')}</EmptyState>}
      {days > 0 && (
        <UsageSummary
          question={question}
          before={before}
          cost={query.data && !query.isPlaceholderData ? totalOf(query.data.rows) : undefined}
        />
      )}
      {days > 0 && <ProofStrip period={period} timeZone={timeZone} />}
      {days > 0 && !isTooLong && (
        <QueryState
          query={query}
          skeleton={<Skeleton height={SKELETON_PIXELS} />}
          isEmpty={({ rows }) => rows.length === 0}
          empty={
            <EmptyState
              title={t('empty.title')}
              action={
                <Button component={Link} to="/overview" variant="default">
                  {t('empty.action')}
                </Button>
              }
            >
              {t('empty.text')}
            </EmptyState>
          }
        >
          {(answer) => <UsageReportView {...answer} onDrill={drill} />}
        </QueryState>
      )}
    </Page>
  );
}

/** A day is shown by its hours, unless the address says otherwise. */
const bucketOf = ({ range }: UsageSearch) => (range === 'today' || range === '24h' ? 'hour' : 'day');

function totalOf(rows: UsageRow[]) {
  const [first] = rows;
  return first && { value: Figure.sum(rows.map(({ cost }) => cost)), currency: first.currency };
}

interface Props {
  search: UsageSearch;
  period: Period;
  timeZone: string;
  onChange: (change: { [Name in keyof UsageSearch]?: UsageSearch[Name] | undefined }) => void;
}

function UsageFilters({ search, period, timeZone, onChange }: Props) {
  const t = useUsageTexts();
  const { zones } = useTimeZone();
  const zoneNames = [...new Set([zones.site, zones.browser, zones.utc, timeZone])];
  const { range = '30d', bucket = bucketOf(search), group = 'model' } = search;
  const dayField = (name: 'from' | 'to', value: string) => (
    <DayField
      label={t(name)}
      value={value}
      // An emptied field keeps the day that it had.
      onChange={(day) => day && onChange({ [name]: day })}
    />
  );
  return (
    <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('title')}>
      <Choice
        label={t('range')}
        value={range}
        options={USAGE_RANGES.map((value) => ({ value, label: t(`range.${value}`) }))}
        onChoose={(value) =>
          onChange({
            range: value,
            ...(value === 'custom'
              ? { from: period.first, to: period.last }
              : { from: undefined, to: undefined }),
          })
        }
      />
      {range === 'custom' && dayField('from', period.first)}
      {range === 'custom' && dayField('to', period.last)}
      <Choice
        label={t('bucket')}
        value={bucket}
        options={BUCKETS.map((value) => ({ value, label: t(`bucket.${value}`) }))}
        onChoose={(value) => onChange({ bucket: value })}
      />
      <Choice
        label={t('group')}
        value={group}
        options={DIMENSIONS.map((value) => ({ value, label: t(`group.${value}`) }))}
        onChoose={(value) => onChange({ group: value })}
      />
      <CallFilters filter={search} onChange={onChange} />
      <Choice
        label={t('zone')}
        value={timeZone}
        options={zoneNames.map((value) => ({ value, label: value }))}
        onChoose={(value) => onChange({ zone: value })}
      />
    </Paper>
  );
}
