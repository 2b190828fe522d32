import { Figure } from '../../../figures/figure';

const ADJUSTMENT = /^[+-]?\d{1,12}(?:\.\d{1,12})?$/;

/** A typed amount that may be added to a balance or, negative, deducted; undefined for any other text and for zero. */
export function adjustmentIn(text: string): Figure | undefined {
  const trimmed = text.trim().replace('−', '-').replaceAll(',', '');
  if (!ADJUSTMENT.test(trimmed)) return undefined;
  const amount = Figure.of(trimmed.replace('+', ''));
  return amount.isZero ? undefined : amount;
}
