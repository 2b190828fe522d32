import { GatewayError } from '../errors/openai-error';

const KINDS = ['key', 'account'] as const;
const LIMITED = ['requests_per_minute', 'tokens_per_minute', 'tokens_per_day', 'concurrency'] as const;

/** A limit that refuses: of the key or of the account's use of the model. */
export type LimitName = `${(typeof KINDS)[number]}_${(typeof LIMITED)[number]}`;

/** Keys have no limit of a day. */
export const LIMIT_NAMES: readonly LimitName[] = KINDS.flatMap((kind) =>
  LIMITED.map((limited) => `${kind}_${limited}` as const),
).filter((name) => name !== 'key_tokens_per_day');

const SUBJECTS = { key: 'this API key', account: 'this account and model' };
const UNITS: Record<string, string> = {
  requests_per_minute: 'requests a minute',
  tokens_per_minute: 'tokens a minute',
  tokens_per_day: 'tokens a day',
  concurrency: 'requests at a time',
};

/** The official SDKs obey a wait of less than a minute only; after it they wait once more. */
const LONGEST_OBEYED_SECONDS = 59;

/** Refuses a request because of a limit. */
export class RateLimitExceededError extends GatewayError {
  /** @param headers those that tell the state of the limits */
  constructor(limit: LimitName, value: number, waitMillis: number, headers: Record<string, string>) {
    const seconds = Math.max(1, Math.ceil(waitMillis / 1000));
    const waits = limit.endsWith('_day') ? seconds : Math.min(seconds, LONGEST_OBEYED_SECONDS);
    super(
      'rate_limit_exceeded',
      `The limit of ${describe(limit, value)} is reached. Try again in ${waits} s.`,
      undefined,
      { limit },
      { ...headers, 'Retry-After': String(waits) },
    );
  }
}

/** Refuses a request that reserves more tokens than the limit has at all: no wait helps. */
export class RequestTooLargeError extends GatewayError {
  constructor(limit: LimitName, value: number, tokens: number, headers: Record<string, string>) {
    super(
      'rate_limit_exceeded',
      `The request counts ${tokens} tokens, more than the limit of ${describe(limit, value)}. Shorten it, or lower max_tokens.`,
      undefined,
      { limit },
      { ...headers, 'x-should-retry': 'false' },
    );
  }
}

function describe(limit: LimitName, value: number): string {
  const [, subject, unit] = /^(key|account)_(.*)$/.exec(limit)!;
  return `${value} ${UNITS[unit!]} for ${SUBJECTS[subject as keyof typeof SUBJECTS]}`;
}

/** A limit of a minute as a header tells it. */
export interface Shown {
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

/**
 * The headers of OpenAI, and those of Anthropic for its protocol, which tell instants.
 * @param nowMillis since 1970 on the clock of the database; null for another protocol
 */
export function limitHeaders(limits: ShownLimits, nowMillis: number | null): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ['requests', 'tokens'] as const) {
    const shown = limits[name];
    if (!shown) continue;
    const { limit, resetMillis } = shown;
    const remaining = String(Math.floor(shown.remaining));
    headers[`x-ratelimit-limit-${name}`] = String(limit);
    headers[`x-ratelimit-remaining-${name}`] = remaining;
    headers[`x-ratelimit-reset-${name}`] = shownDuration(resetMillis);
    if (nowMillis === null) continue;
    headers[`anthropic-ratelimit-${name}-limit`] = String(limit);
    headers[`anthropic-ratelimit-${name}-remaining`] = remaining;
    headers[`anthropic-ratelimit-${name}-reset`] = new Date(nowMillis + resetMillis).toISOString();
  }
  return headers;
}
