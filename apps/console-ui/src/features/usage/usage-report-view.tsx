import { Anchor, Group as Row, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { fileLoader } from '../../components/lazy-file';
import { type Column, DataTable } from '../../components/data-table';
import { alignedAmounts, Amount, Quantity } from '../../figures/figure-text';
import { type Currency } from '../../figures/format-figure';
import { useLanguage } from '../../language/language';
import { formatDay } from '../../time/calendar-day';
import { formatTime } from '../../time/format-time';
import { type RequestSearch } from './request-search';
import classes from './report.module.css';
import { countOf, type UsageQuestion, type UsageRow, useGroupName } from './usage-queries';
import {
  bucketsOf,
  callsOf,
  chartOf,
  type Entry,
  type Group,
  reportOf,
  type Sums,
  type UsageReport,
} from './usage-report';
import { type Bucket, type Dimension } from './usage-search';
import { useUsageTexts } from './usage-texts';

const UsageChart = lazy(fileLoader(() => import('./usage-chart')));

interface Props {
  /** At least one. */
  rows: UsageRow[];
  question: UsageQuestion;
  onDrill: (group: Group) => void;
  /** Lists the calls of a row: those of the own account by default. */
  callsPage?: string;
}

/** The total, the chart and the tables of the same figures. */
export function UsageReportView({ rows, question, onDrill, callsPage = '/requests' }: Props) {
  const t = useUsageTexts();
  const groupName = useGroupName();
  const { dimension, bucket, timeZone, first, last } = question;
  const bucketName = useBucketName(bucket, timeZone);
  const report = useMemo(
    () => reportOf(rows, { dimension, bucket, timeZone }),
    [rows, dimension, bucket, timeZone],
  );
  const chart = useMemo(
    () => chartOf(report, bucketsOf(report, bucket, { first, last })),
    [report, bucket, first, last],
  );
  const currency = report.currency!;
  return (
    <Stack gap="lg">
      <Paper withBorder p="lg" component="section">
        <Stack gap="md">
          <Row justify="space-between" align="baseline">
            <Text size="md" c="dimmed">
              {t('cost')} · {timeZone}
            </Text>
            <Text size="xl" fw={600}>
              <Amount value={report.total.cost} currency={currency} />
            </Text>
          </Row>
          <div className={classes.chart}>
            <Suspense fallback={<Skeleton height={280} aria-label={t('chart.loading')} />}>
              <UsageChart
                {...chart}
                currency={currency}
                label={t('chart')}
                nameOf={({ group }) => (group ? groupName(dimension, group) : t('other'))}
                bucketName={bucketName}
              />
            </Suspense>
          </div>
        </Stack>
      </Paper>
      <UsageTables
        report={report}
        currency={currency}
        dimension={dimension}
        bucketTitle={t(`bucket.${bucket}`)}
        bucketName={bucketName}
        callsPage={callsPage}
        callsOf={(entry) => callsOf(entry, question)}
        onDrill={onDrill}
      />
    </Stack>
  );
}

/** Names a bucket; hours with their time zone. */
function useBucketName(bucket: Bucket, timeZone: string): (name: string, short?: boolean) => string {
  const { language } = useLanguage();
  return (name, short) =>
    bucket === 'hour' ? formatTime(name, { language, timeZone }) : formatDay(name, language, short);
}

interface UsageTablesProps {
  report: UsageReport;
  currency: Currency;
  dimension: Dimension;
  bucketTitle: string;
  bucketName: (bucket: string) => string;
  callsPage: string;
  /** Selects the calls of an entry in the request log. */
  callsOf: (entry: Entry) => RequestSearch;
  /** Limits the page to a group. */
  onDrill: (group: Group) => void;
}

/** The sums of the groups, and what they are made of. */
function UsageTables({
  report,
  currency,
  dimension,
  bucketTitle,
  bucketName,
  callsPage,
  callsOf,
  onDrill,
}: UsageTablesProps) {
  const t = useUsageTexts();
  const groupName = useGroupName();
  const sumColumns = <Row extends Sums>(rows: Row[]): Column<Row>[] => {
    const amount = alignedAmounts([report.total.cost, ...rows.map(({ cost }) => cost)]);
    return [
      ...report.units.map((unit): Column<Row> => ({
        key: unit,
        title: t(`unit.${unit}`),
        isNumber: true,
        cell: ({ quantities: { [unit]: quantity } }) =>
          quantity ? <Quantity value={countOf(unit, quantity)} /> : '–',
        footer: <Quantity value={countOf(unit, report.total.quantities[unit]!)} />,
      })),
      {
        key: 'cost',
        title: t('cost'),
        isNumber: true,
        cell: ({ cost }) => amount(cost, currency),
        footer: amount(report.total.cost, currency),
      },
    ];
  };
  const groupColumns: Column<Group>[] = [
    {
      key: 'group',
      title: t(`group.${dimension}`),
      cell: (group) => (
        <Anchor
          component="button"
          type="button"
          inherit
          ta="start"
          aria-label={t('drill', { name: groupName(dimension, group) })}
          onClick={() => onDrill(group)}
        >
          {groupName(dimension, group)}
        </Anchor>
      ),
      footer: t('total'),
    },
    ...sumColumns(report.groups),
  ];
  const entryColumns: Column<Entry>[] = [
    {
      key: 'bucket',
      title: bucketTitle,
      cell: ({ bucket }) => <span className="figure">{bucketName(bucket)}</span>,
      footer: t('total'),
    },
    {
      key: 'group',
      title: t(`group.${dimension}`),
      place: 'status',
      cell: (entry) => groupName(dimension, entry),
    },
    ...sumColumns(report.entries),
    {
      key: 'why',
      title: t('why'),
      isTitleHidden: true,
      cell: (entry) => (
        <Anchor inherit renderRoot={(props) => <Link {...props} to={callsPage} search={callsOf(entry)} />}>
          {t('why')}
        </Anchor>
      ),
    },
  ];
  return (
    <>
      <Stack component="section" gap="sm">
        <Title order={2}>{t('sums')}</Title>
        <DataTable label={t('sums')} columns={groupColumns} rows={report.groups} keyOf={({ id }) => id} />
      </Stack>
      <Stack component="section" gap="sm">
        <Title order={2}>{t('details')}</Title>
        <DataTable
          label={t('details')}
          columns={entryColumns}
          rows={report.entries.toReversed()}
          keyOf={({ bucket, id }) => `${bucket} ${id}`}
        />
      </Stack>
    </>
  );
}
