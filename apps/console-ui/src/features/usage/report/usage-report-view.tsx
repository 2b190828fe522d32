import { Group as Row, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { Amount } from '../../../figures/amount';
import { useLanguage } from '../../../language/language-context';
import { formatDay } from '../../../time/calendar-day';
import { formatTime } from '../../../time/format-time';
import { useGroupName } from '../usage-names';
import { type UsageQuestion, type UsageRow } from '../usage-queries';
import { type Bucket } from '../usage-search';
import { useUsageTexts } from '../usage-texts';
import { chartOf } from './chart-series';
import classes from './report.module.css';
import { bucketsOf, callsOf, type Group, reportOf } from './usage-report';
import { UsageTables } from './usage-tables';

const UsageChart = lazy(() => import('./usage-chart'));

interface Props {
  /** At least one. */
  rows: UsageRow[];
  question: UsageQuestion;
  onDrill: (group: Group) => void;
}

/** The total, the chart and the tables of the same figures. */
export function UsageReportView({ rows, question, onDrill }: Props) {
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
