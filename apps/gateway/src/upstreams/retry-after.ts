/** In how many milliseconds an upstream may be called again, by `Retry-After-Ms` or `Retry-After`; null if it does not say. */
export function retryAfterMillis(
  headers: Record<string, string | string[] | undefined>,
  nowMillis: number,
): number | null {
  const exact = headers['retry-after-ms'];
  if (typeof exact === 'string' && /^\d+(\.\d+)?$/.test(exact)) return Number(exact);
  const value = headers['retry-after'];
  if (typeof value !== 'string') return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMillis);
}
