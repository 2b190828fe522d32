import { Figure } from '../../figures/figure';

interface Quota {
  total: Figure;
  used: Figure;
}

/** What is left of a quota; never negative, though a quota may be set below what is used. */
export function leftOf({ total, used }: Quota): Figure {
  const left = total.minus(used);
  return left.isNegative ? Figure.zero : left;
}

/** Which part of a quota is used, in percent, for a bar. */
export function usedPercent({ total, used }: Quota): number {
  if (used.compare(total) >= 0) return 100;
  return (used.toScreenNumber() / total.toScreenNumber()) * 100;
}
