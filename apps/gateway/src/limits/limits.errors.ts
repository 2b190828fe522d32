import { GatewayError } from '../errors/openai-error';

/** A limit that refuses: of the key or of the account's use of the model. */
export type LimitName =
  `${'key' | 'account'}_${'requests_per_minute' | 'tokens_per_minute' | 'tokens_per_day' | 'concurrency'}`;

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
