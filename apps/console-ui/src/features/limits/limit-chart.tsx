import '@mantine/charts/styles.layer.css';
import { CompositeChart } from '@mantine/charts';
import { Group, Paper, Text } from '@mantine/core';
import { Quantity } from '../../figures/figure-text';
import { useLanguage } from '../../language/language';
import { formatDay } from '../../time/calendar-day';
import { type HistoryPoint } from './limit-summaries';

type Names = Record<'used' | 'limit' | 'refusals', string>;

interface Props {
  points: HistoryPoint[];
  height: number;
  label: string;
  names: Names;
}

/** A bar of the highest use for each day below the limit of then. Heights and the scale are floating-point numbers; the tooltip is exact. */
export default function LimitChart({ points, height, label, names }: Props) {
  const { language } = useLanguage();
  const scale = new Intl.NumberFormat(language, { notation: 'compact' });
  const data = points.map(({ day, use }) => ({
    day,
    used: use?.used.toScreenNumber() ?? 0,
    limit: use?.limit.toScreenNumber() ?? null,
  }));
  return (
    <div role="img" aria-label={label}>
      <CompositeChart
        h={height}
        data={data}
        dataKey="day"
        series={[
          { name: 'used', type: 'bar', color: 'blue.6', label: names.used },
          { name: 'limit', type: 'line', color: 'orange.6', label: names.limit },
        ]}
        curveType="step"
        connectNulls
        withDots={points.filter(({ use }) => use).length === 1}
        withLegend
        maxBarWidth={32}
        valueFormatter={(value) => scale.format(value)}
        xAxisProps={{ tickFormatter: (day: string) => formatDay(day, language, true), minTickGap: 24 }}
        yAxisProps={{ width: 48, allowDecimals: false }}
        composedChartProps={{ accessibilityLayer: false }}
        barProps={{ isAnimationActive: false }}
        lineProps={{ isAnimationActive: false }}
        tooltipProps={{
          content: ({ label: day }) => {
            const point = points.find((one) => one.day === day);
            return point && Figures({ ...point, names, title: formatDay(point.day, language) });
          },
        }}
      />
    </div>
  );
}

function Figures({ use, names, title }: Pick<HistoryPoint, 'use'> & { names: Names; title: string }) {
  return (
    <Paper withBorder shadow="sm" p="sm">
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {use &&
        (['used', 'limit', 'refusals'] as const).map((name) => (
          <Group key={name} justify="space-between" gap="md" wrap="nowrap">
            <Text size="sm">{names[name]}</Text>
            <Text size="sm">
              <Quantity value={use[name]} />
            </Text>
          </Group>
        ))}
    </Paper>
  );
}
