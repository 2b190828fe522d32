import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import { useLanguage } from '../../language/language';
import { type Downloads } from './download-queries';

const MOST_BARS = 10;
const BAR_PIXELS = 36;
const AXIS_PIXELS = 40;

/** Bars of the most downloaded models. Only their lengths and the scale are floating-point numbers. */
export default function DownloadChart({
  models,
  label,
  name,
}: Pick<Downloads, 'models'> & { label: string; name: string }) {
  const { language } = useLanguage();
  const scale = new Intl.NumberFormat(language, { notation: 'compact' });
  const data = models
    .slice(0, MOST_BARS)
    .map(({ slug, downloads }) => ({ slug, downloads: downloads.toScreenNumber() }));
  return (
    <div role="img" aria-label={label}>
      <BarChart
        h={data.length * BAR_PIXELS + AXIS_PIXELS}
        data={data}
        dataKey="slug"
        orientation="vertical"
        series={[{ name: 'downloads', color: 'blue.6', label: name }]}
        maxBarWidth={20}
        valueFormatter={(value) => scale.format(value)}
        yAxisProps={{ width: 140 }}
        xAxisProps={{ allowDecimals: false }}
        barChartProps={{ accessibilityLayer: false }}
        barProps={{ isAnimationActive: false }}
      />
    </div>
  );
}
