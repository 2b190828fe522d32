/** A limit of a minute as a header tells it. */
interface Shown {
  limit: number;
  remaining: number;
  resetMillis: number;
}

export interface ShownLimits {
  requests: Shown | null;
  tokens: Shown | null;
}

/** The tighter one of two limits: the one of which less is left. */
export function tighter(one: Shown | null, other: Shown | null): Shown | null {
  if (!one || !other) return one ?? other;
  return other.remaining < one.remaining ? other : one;
}

/** As OpenAI writes it: `120ms`, `59.5s`, `1m5s`. */
function shownDuration(millis: number): string {
  const whole = Math.ceil(millis);
  if (whole < 1000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  const seconds = (whole % 60_000) / 1000;
  return minutes > 0 ? `${minutes}m${Math.ceil(seconds)}s` : `${seconds}s`;
}

/** The headers of OpenAI, and those of Anthropic for its protocol. */
export function limitHeaders(limits: ShownLimits, isAnthropic: boolean): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ['requests', 'tokens'] as const) {
    const shown = limits[name];
    if (!shown) continue;
    const { limit, resetMillis } = shown;
    const remaining = String(Math.floor(shown.remaining));
    headers[`x-ratelimit-limit-${name}`] = String(limit);
    headers[`x-ratelimit-remaining-${name}`] = remaining;
    headers[`x-ratelimit-reset-${name}`] = shownDuration(resetMillis);
    if (!isAnthropic) continue;
    headers[`anthropic-ratelimit-${name}-limit`] = String(limit);
    headers[`anthropic-ratelimit-${name}-remaining`] = remaining;
    headers[`anthropic-ratelimit-${name}-reset`] = new Date(Date.now() + resetMillis).toISOString();
  }
  return headers;
}
