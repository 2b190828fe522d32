/** The reason for which a model gave no complete answer: an HTTP status before a stream begins, an `error` event afterwards. */
export interface Refusal {
  status: number;
  /** Stable, for programs; the gateway's code if it sent one. */
  code: string;
  message: string;
  /** The same request may succeed later. */
  retryable: boolean;
  retryAfter?: string;
}

const RETRYABLE = new Set([429, 500, 502, 503, 504]);
/** The call may have been charged: another one could be charged again. */
const MAYBE_CHARGED = 'billing_unknown';
/** Statuses of the gateway that concern the caller's request, account or key and are passed on. */
const PASSED_ON = new Set([400, 402, 403, 404, 413, 422, 429, 502, 503, 504]);

export const unreachable = (): Refusal =>
  refusal(503, 'gateway_unavailable', 'The models are not available now.');

export const timedOut = (): Refusal => refusal(504, 'model_timeout', 'The model did not answer in time.');

export const brokenOff = (code = 'model_error', message = 'The model broke its answer off.'): Refusal =>
  refusal(502, code, message);

/** Builds a refusal; whether it is retryable follows from the status and the code. */
export function refusal(status: number, code: string, message: string): Refusal {
  return { status, code, message, retryable: RETRYABLE.has(status) && code !== MAYBE_CHARGED };
}

/** Replacements for messages of the gateway that name fields which the callers of this service do not have. */
const REPLACED_MESSAGES = new Map([
  ['insufficient_balance', 'The wallet does not cover the most that this answer can cost. Top it up.'],
]);

/** Translates an error answer of the gateway for the caller of this service. */
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
      REPLACED_MESSAGES.get(code ?? '') ?? message ?? 'The model could not answer.',
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
