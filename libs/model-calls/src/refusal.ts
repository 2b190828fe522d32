/** The reason for which a model gave no complete answer: an HTTP status before a stream begins, an `error` event afterwards. */
export interface Refusal {
  status: number;
  /** Stable, for programs; the gateway's code if it sent one. */
  code: string;
  message: string;
  /** The same request may succeed later. */
  retryable: boolean;
  retryAfter?: string;
  /** The limit of the key or the account that has refused the call. */
  limit?: string;
  /** For a wallet that does not cover the call, if the gateway says what is missing. */
  shortfall?: Shortfall;
}

/** Members of an error body that lead to the top-up. */
export interface Shortfall {
  missing_amount: string;
  top_up_url?: string;
}

const RETRYABLE = new Set([429, 500, 502, 503, 504]);
/** The call may have been charged: another one could be charged again. */
const MAYBE_CHARGED = 'billing_unknown';
/** Statuses of the gateway that concern the caller's request, account or key and are passed on. */
const PASSED_ON = new Set([400, 402, 403, 404, 413, 422, 429, 502, 503, 504]);

export const unreachable = (): Refusal =>
  refusal(503, 'gateway_unavailable', 'The models are not available now.');

export const timedOut = (): Refusal => refusal(504, 'model_timeout', 'The model did not answer in time.');

/** @param code of the gateway's error; without it the answer just ended */
export const brokenOff = (code = 'model_error', message = 'The model broke its answer off.'): Refusal =>
  shutOut(code) ?? refusal(502, code, message);

const KEY_FAULTS = new Set(['on_behalf_unknown', 'api_key_suspended', 'api_key_disabled', 'api_key_expired']);

/** Of a call whose account or API key the gateway does not serve any more: the same call will fail again. Null for other codes. */
function shutOut(code: string | undefined): Refusal | null {
  if (code === 'account_suspended') return accountSuspended();
  return code !== undefined && KEY_FAULTS.has(code) ? keyGone() : null;
}

/** Staff has suspended the account that pays. */
export const accountSuspended = (): Refusal =>
  refusal(403, 'account_suspended', 'This account is suspended. Sign in to the console to read why.');

/** The account or API key that pays does not exist any more, or the key has ended, is disabled or suspended. */
export const keyGone = (): Refusal =>
  refusal(401, 'api_key_gone', 'The account or API key that pays for this answer is no longer valid.');

/** Builds a refusal; whether it is retryable follows from the status and the code. */
export function refusal(status: number, code: string, message: string): Refusal {
  return { status, code, message, retryable: RETRYABLE.has(status) && code !== MAYBE_CHARGED };
}

const INSUFFICIENT = 'insufficient_balance';

/** Replaces the message of the gateway, which names a field that the callers of this service do not have. */
function insufficientMessage({
  available_amount,
  required_amount,
  missing_amount,
  currency,
}: Fields): string {
  if (missing_amount === undefined)
    return 'The wallet does not cover the most that this answer can cost. Top it up.';
  return `The wallet has ${available_amount} ${currency} free, but this answer can cost up to ${required_amount} ${currency}. Top up at least ${missing_amount} ${currency}.`;
}

/** Translates an error answer of the gateway for the caller of this service. */
export function refusalOf(status: number, body: string, retryAfter: string | undefined): Refusal {
  const fields = readBody(body);
  const { code, limit, missing_amount, top_up_url } = fields;
  const message = code === INSUFFICIENT ? insufficientMessage(fields) : fields.message;
  const gone = shutOut(code);
  if (gone) return gone;
  if (status === 401) return unreachable();
  if (!PASSED_ON.has(status)) return refusal(502, code ?? 'model_error', 'The model could not answer.');
  const known = refusal(status, code ?? 'model_error', message ?? 'The model could not answer.');
  return {
    ...known,
    // A limit says when to try again, unless the request is larger than the whole of it.
    retryable: known.retryable && (limit === undefined || retryAfter !== undefined),
    ...(missing_amount !== undefined && {
      shortfall: { missing_amount, ...(top_up_url !== undefined && { top_up_url }) },
    }),
    ...(limit !== undefined && { limit }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

const FIELDS = [
  'code',
  'limit',
  'message',
  'available_amount',
  'required_amount',
  'missing_amount',
  'currency',
  'top_up_url',
] as const;
type Fields = Partial<Record<(typeof FIELDS)[number], string>>;

function readBody(body: string): Fields {
  try {
    const { error } = JSON.parse(body) as { error?: Record<string, unknown> };
    return Object.fromEntries(
      FIELDS.map((name) => [name, error?.[name]]).filter(([, value]) => typeof value === 'string'),
    ) as Fields;
  } catch {
    return {};
  }
}
