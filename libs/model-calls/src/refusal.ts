/** Why a model gave no whole answer: a status before a stream begins, an `error` event afterwards. */
export interface Refusal {
  status: number;
  /** Stable, for programs; the gateway's own where it gave one. */
  code: string;
  message: string;
  /** The same request may succeed later. */
  retryable: boolean;
  retryAfter?: string;
}

const RETRYABLE = new Set([429, 500, 502, 503, 504]);
/** The gateway's statuses that say something of the caller's request, account or key. */
const PASSED_ON = new Set([400, 402, 403, 404, 413, 422, 429, 502, 503, 504]);

export const unreachable = (): Refusal =>
  refusal(503, 'gateway_unavailable', 'The models are not available now.');

export const timedOut = (): Refusal => refusal(504, 'model_timeout', 'The model did not answer in time.');

export const brokenOff = (code = 'model_error', message = 'The model broke its answer off.'): Refusal =>
  refusal(502, code, message);

export function refusal(status: number, code: string, message: string): Refusal {
  return { status, code, message, retryable: RETRYABLE.has(status) };
}

/** The gateway's own words speak of fields that its caller's callers do not have. */
const OWN_WORDS = new Map([
  ['insufficient_balance', 'The wallet does not cover the most that this answer can cost. Top it up.'],
]);

/** What an error answer of the gateway means to the caller. */
export function refusalOf(status: number, body: string, retryAfter: string | undefined): Refusal {
  const { code, message } = readBody(body);
  if (status === 401) {
    return code === 'on_behalf_unknown'
      ? refusal(401, 'api_key_gone', 'The account or API key that pays for this answer is no longer valid.')
      : unreachable();
  }
  if (!PASSED_ON.has(status)) return refusal(502, code ?? 'model_error', 'The model could not answer.');
  return {
    ...refusal(
      status,
      code ?? 'model_error',
      OWN_WORDS.get(code ?? '') ?? message ?? 'The model could not answer.',
    ),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

function readBody(body: string): { code?: string; message?: string } {
  try {
    const { error } = JSON.parse(body) as { error?: { code?: unknown; message?: unknown } };
    return {
      ...(typeof error?.code === 'string' && { code: error.code }),
      ...(typeof error?.message === 'string' && { message: error.message }),
    };
  } catch {
    return {};
  }
}
