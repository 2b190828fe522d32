import { Figure } from '../figures/figure';

export interface Suspension {
  message: string | null;
  /** An address of a page, or `mailto:`. */
  contact: string | null;
}

/** Why a call failed. `status` 0: the service was not reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** What the service says, in English; for people. */
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The reason for programs, where the service gives one. */
  readonly code: string | undefined;
  /** What the wallet lacks for the call. */
  readonly missingAmount: Figure | undefined;
  /** Of a suspended account that signs in: what its owner is told, and whom to ask. */
  readonly suspension: Suspension | undefined;

  constructor(facts: {
    status: number;
    detail: string;
    requestId?: string | undefined;
    retryAfterSeconds?: number | undefined;
    code?: string | undefined;
    missingAmount?: Figure | undefined;
    suspension?: Suspension | undefined;
  }) {
    super(facts.detail);
    this.status = facts.status;
    this.detail = facts.detail;
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.code = facts.code;
    this.missingAmount = facts.missingAmount;
    this.suspension = facts.suspension;
  }

  /** Whether the same call may succeed later. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 502;
  }

  /** The messages of the fields that the service refuses: `amount: must be positive; name: is missing`. */
  get fieldMessages(): Record<string, string> {
    if (this.status !== 400) return {};
    const parts = this.detail.split('; ').map((part) => /^([a-z_][\w.]*): (.+)$/.exec(part));
    return Object.fromEntries(parts.flatMap((match) => (match ? [[match[1]!, match[2]!]] : [])));
  }
}

const messageIn = (body: unknown): string | undefined => {
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, message } = body as { error?: unknown; message?: unknown };
  if (typeof error === 'string') return error;
  if (typeof message === 'string') return message;
  return messageIn(error);
};

const codeIn = (body: unknown): string | undefined => {
  const { code } = (typeof body === 'object' && body !== null ? body : {}) as { code?: unknown };
  return typeof code === 'string' || code instanceof Figure ? code.toString() : undefined;
};

/** Services name it beside the code, the gateway within `error`. */
function missingIn(body: unknown): Figure | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { missing_amount: missing, error } = body as { missing_amount?: unknown; error?: unknown };
  if (typeof missing === 'string' && DECIMAL.test(missing)) return Figure.of(missing);
  return missingIn(error);
}
const DECIMAL = /^\d{1,30}(\.\d{1,30})?$/;

function suspensionIn(body: unknown): Suspension | undefined {
  if (typeof body !== 'object' || body === null || !('suspended_at' in body)) return undefined;
  const { suspension_message: message, contact } = body as Record<string, unknown>;
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
  return { message: textOf(message), contact: textOf(contact) };
}

/** The error of an answer, whatever shape the service gives it. `body`: parsed, or undefined if it is not JSON. */
export function apiErrorOf(response: { status: number; headers: Headers }, body: unknown): ApiError {
  const retryAfter = response.headers.get('Retry-After');
  return new ApiError({
    status: response.status,
    detail: messageIn(body) ?? `HTTP ${response.status}`,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
    retryAfterSeconds: retryAfter && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined,
    code: codeIn(body),
    missingAmount: missingIn(body),
    suspension: suspensionIn(body),
  });
}

const detailOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What `fetch` throws without a connection, with the status 0. */
export const connectionError = (error: unknown): ApiError =>
  new ApiError({ status: 0, detail: detailOf(error) });

/** Any thrown value as an ApiError. What no call has thrown is a fault of the pages, with the status 500. */
export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError({ status: 500, detail: detailOf(error) });
