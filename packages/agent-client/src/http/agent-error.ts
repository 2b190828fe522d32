/** Statuses that are worth a retry (spec: Errors, rule 1). All others stay the same until the request changes. */
const PASSING_STATUSES = new Set([429, 500, 502, 503, 504]);

export interface AgentErrorDetails {
  /** The HTTP status of an error response. Absent if a turn failed, or the client itself found the error. */
  status?: number;
  code?: string;
  /** Whether a retry may succeed. */
  retryable?: boolean;
  turnId?: string;
  /** Milliseconds to wait before a retry, from `Retry-After`. */
  retryAfterMs?: number;
  cause?: unknown;
}

/**
 * An error response of the agent service, or the reason why a stream ended before its turn was complete. Branch on `status` and
 * `code`, never on the message. Codes of this package:
 *
 * - `connection_lost`: the service was unreachable or silent for longer than RetryOptions allow
 * - `out_of_order`: a stream event was missing or duplicated
 * - `bad_answer`: the response does not follow the protocol of the service
 * - `turn_cancelled`, `requires_action`: `finalText` found no final text
 * - `nothing_to_resume`: the session has no turn after that position
 * - `left_early`: `finalText` was called after the iteration was left
 * - `too_many_rounds`: a tool loop has reached its limit; the turn is still waiting for results
 */
export class AgentError extends Error {
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryable: boolean;
  readonly turnId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: AgentErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'AgentError';
    this.status = details.status;
    this.code = details.code;
    this.retryable = details.retryable ?? false;
    this.turnId = details.turnId;
    this.retryAfterMs = details.retryAfterMs;
  }
}

interface Refusal {
  error?: unknown;
  code?: unknown;
  turn_id?: unknown;
}

function parseRefusal(body: string): Refusal {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    // The body is no JSON, for example an HTML page of a proxy.
    return {};
  }
}

/** Reads seconds or a date (RFC 9110, section 10.2.3). */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const milliseconds = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Reads the body of an error response. */
export async function refusalOf(response: Response): Promise<AgentError> {
  const { status, headers } = response;
  const { error, code, turn_id: turnId } = parseRefusal(await response.text());
  return new AgentError(text(error) ?? `The agent service answered ${status}.`, {
    status,
    code: text(code),
    retryable: PASSING_STATUSES.has(status),
    turnId: text(turnId),
    retryAfterMs: readRetryAfter(headers.get('retry-after')),
  });
}
