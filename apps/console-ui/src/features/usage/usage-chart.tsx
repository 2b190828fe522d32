import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.layer.css';
import { Paper, Text } from '@mantine/core';
import { Figure } from '../../figures/figure';
import { Amount } from '../../figures/figure-text';
import { type Currency } from '../../figures/format-figure';
import { useLanguage } from '../../language/language';
import classes from './report.module.css';
import { type ChartPoint, type ChartSeries } from './usage-report';
import { useUsageTexts } from './usage-texts';

interface Props {
  series: ChartSeries[];
  points: ChartPoint[];
  currency: Currency;
  label: string;
  nameOf: (series: ChartSeries) => string;
  bucketName: (bucket: string, short?: boolean) => string;
}

/** Stacked bars of the cost. Only heights and the scale are floating-point numbers; the tooltip is exact. */
export default function UsageChart({ series, points, currency, label, nameOf, bucketName }: Props) {
  const { language } = useLanguage();
  const total = useUsageTexts()('total');
  const scale = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    notation: 'compact',
    maximumSignificantDigits: 2,
  });
  const data = points.map(({ bucket, costs }) => ({
    bucket,
    ...Object.fromEntries(series.map(({ name }) => [name, costs[name]?.toScreenNumber() ?? 0])),
  }));
  return (
    <div role="img" aria-label={label}>
      <BarChart
        h={280}
        data={data}
        dataKey="bucket"
        type="stacked"
        series={series.map((one) => ({ name: one.name, color: one.color, label: nameOf(one) }))}
        withLegend={series.length > 1}
        maxBarWidth={48}
        valueFormatter={(value) => scale.format(value)}
        xAxisProps={{ tickFormatter: (bucket: string) => bucketName(bucket, true), minTickGap: 24 }}
        yAxisProps={{ width: 64 }}
        // A negative part goes down from zero.
        barChartProps={{ accessibilityLayer: false, stackOffset: 'sign' }}
        barProps={{ isAnimationActive: false }}
        tooltipProps={{
          content: ({ label: bucket }) => {
            const point = points.find((one) => one.bucket === bucket);
            return point && Figures({ point, series, currency, nameOf, bucketName, total });
          },
        }}
      />
    </div>
  );
}

function Figures({
  point,
  series,
  currency,
  nameOf,
  bucketName,
  total,
}: { point: ChartPoint; total: string } & Pick<Props, 'series' | 'currency' | 'nameOf' | 'bucketName'>) {
  const shown = series.filter(({ name }) => point.costs[name]);
  return (
    <Paper withBorder shadow="sm" p="sm" className={classes.tooltip}>
      <Text size="sm" fw={600}>
        {bucketName(point.bucket)}
      </Text>
      {[...shown, undefined].map((one) => (
        <Text size="sm" key={one?.name ?? 'total'} className={classes.tooltipRow}>
          <span>{one ? nameOf(one) : total}</span>
          <Amount
            value={one ? point.costs[one.name]! : Figure.sum(Object.values(point.costs))}
            currency={currency}
          />
        </Text>
      ))}
    </Paper>
  );
}
