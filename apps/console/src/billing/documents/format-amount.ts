const GROUPS = /\B(?=(\d{3})+$)/g;

/** Formats an amount in hundredths: `1,234,567.80`. */
export function formatMinorAmount(minor: bigint): string {
  const digits = minor.toString().padStart(3, '0');
  return `${digits.slice(0, -2).replace(GROUPS, ',')}.${digits.slice(-2)}`;
}
