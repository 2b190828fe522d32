const GROUPS = /\B(?=(\d{3})+$)/g;

/** `1,234,567.80` of an amount in hundredths. */
export function amountText(minor: bigint): string {
  const digits = minor.toString().padStart(3, '0');
  return `${digits.slice(0, -2).replace(GROUPS, ',')}.${digits.slice(-2)}`;
}
