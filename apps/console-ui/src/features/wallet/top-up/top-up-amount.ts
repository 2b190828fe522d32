import { Figure } from '../../../figures/figure';

const PAYABLE = /^\d{1,12}(?:\.\d{1,2})?$/;

/** A typed amount that may be paid: at most two decimals and within the bounds; otherwise undefined. */
export function payableAmount(text: string, least: Figure, most: Figure): Figure | undefined {
  const trimmed = text.trim().replaceAll(',', '');
  const amount = PAYABLE.test(trimmed) ? Figure.of(trimmed) : undefined;
  return amount && amount.compare(least) >= 0 && amount.compare(most) <= 0 ? amount : undefined;
}
