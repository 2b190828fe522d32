const MIN_DECIMALS = 2;
const THOUSANDS_BOUNDARY = /\B(?=(\d{3})+$)/g;

/** Formats a decimal for people, with thousands separators and at least two decimals: `1234.5` becomes `1,234.50`. */
export function formatDecimal(decimal: string): string {
  const [whole = '', decimals = ''] = decimal.split('.');
  return `${whole.replace(THOUSANDS_BOUNDARY, ',')}.${decimals.padEnd(MIN_DECIMALS, '0')}`;
}
