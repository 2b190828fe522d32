import { Figure } from './figure';

/** More decimals than any price has. */
const SCALE_EXPONENT = 20;
const SCALE = Figure.of(10n ** BigInt(SCALE_EXPONENT));
/** Percents are shown in hundredths. */
const HUNDREDTHS = 10_000n;
const PERCENT_DECIMALS = 2;

export interface PercentChange {
  percent: Figure;
  isRounded: boolean;
}

/** The change in percent, rounded to two decimals half away from zero. Undefined if there is nothing to compare with. */
export function percentChange(
  before: Figure | undefined,
  after: Figure | undefined,
): PercentChange | undefined {
  if (!before || !after || before.isZero) return undefined;
  const base = wholeOf(before);
  const change = wholeOf(after) - base;
  const size = (change < 0n ? -change : change) * HUNDREDTHS;
  const rounded = (size + base / 2n) / base;
  const percent = Figure.of(change < 0n ? -rounded : rounded).dividedByTenTo(PERCENT_DECIMALS);
  return { percent, isRounded: rounded * base !== size };
}

const wholeOf = (price: Figure): bigint => BigInt(price.times(SCALE).toString());
