import { Group } from '@mantine/core';
import { type Figure } from '../../figures/figure';
import { type Currency, formatShortAmount } from '../../figures/format-figure';
import { useLanguage } from '../../language/language-context';
import { formatDay } from '../../time/calendar-day';
import { useOverviewTexts } from './overview-texts';
import classes from './overview.module.css';

const HEIGHT = 64;
const BAR = 8;
const STEP = 10;
/** Shows that a day is there. */
const LEAST_HEIGHT = 2;

interface Props {
  days: { day: string; cost: Figure }[];
  currency: Currency;
}

/** A bar for each day, and what the highest stands for. The library of the large charts would be too much for it. */
export function SpendBars({ days, currency }: Props) {
  const t = useOverviewTexts();
  const { language } = useLanguage();
  const heights = days.map(({ cost }) => cost.toScreenNumber());
  const highest = Math.max(...heights) || 1;
  const highestDay = days.reduce((most, day) => (day.cost.compare(most.cost) > 0 ? day : most));
  const [first, last] = [days[0]!, days.at(-1)!].map(({ day }) => formatDay(day, language, true));
  return (
    <div>
      <svg
        role="img"
        aria-label={t('spend.chart', { first: first!, last: last! })}
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={classes.bars}
      >
        {days.map(({ day, cost }, index) => {
          const height = Math.max(LEAST_HEIGHT, (heights[index]! / highest) * HEIGHT);
          return (
            <rect
              key={day}
              x={index * STEP + (STEP - BAR) / 2}
              y={HEIGHT - height}
              width={BAR}
              height={height}
              className={cost.isZero ? classes.nothing : classes.bar}
            />
          );
        })}
      </svg>
      <Group
        justify="space-between"
        align="flex-start"
        gap="xs"
        wrap="nowrap"
        mt={4}
        fz="sm"
        c="dimmed"
        ta="center"
      >
        <span>{first}</span>
        {!highestDay.cost.isZero && (
          <span>{t('spend.highest', { cost: formatShortAmount(highestDay.cost, currency, language) })}</span>
        )}
        <span>{last}</span>
      </Group>
    </div>
  );
}
