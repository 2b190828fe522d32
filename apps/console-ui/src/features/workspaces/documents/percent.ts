import { type Figure } from '../../../figures/figure';

/** How far a document is read, in whole percent; null until it is known. Below 100 until all is read. */
export function percentOf({ processed, total }: { processed: Figure; total: Figure | null }): number | null {
  if (total === null || total.isZero) return null;
  const share = processed.toScreenNumber() / total.toScreenNumber();
  return Math.max(0, Math.min(99, Math.floor(share * 100)));
}
