/** Passing faults (spec: Errors, rule 1); everything else stays as it is until the request changes. */
const PASSING_STATUSES = new Set([429, 500, 502, 503, 504]);

export interface AgentErrorDetails {
  /** The HTTP status when the service refused; none when a turn failed or the fault is on this side. */
  status?: number;
  code?: string;
  /** Whether the same thing may succeed later. */
  retryable?: boolean;
  turnId?: string;
  /** How long the service wants to be left alone, in milliseconds. */
  retryAfterMs?: number;
  cause?: unknown;
}

/**
 * Whatever the agent service refuses, and whatever ends a stream before its turn is completed. Branch on `status` and
 * `code`, never on the message. Codes of this package's own:
 *
 * - `connection_lost`: the service could not be reached, or stayed silent, for as long as RetryOptions allow
 * - `out_of_order`: a frame was missing or came twice
 * - `bad_answer`: what came is not this service's protocol
 * - `turn_cancelled`, `requires_action`: `finalText` found no final text
 * - `nothing_to_resume`: the session has no turn after that position
 * - `left_early`: `finalText` was called after the loop was left
 * - `too_many_rounds`: a tool loop has reached its limit; the turn still waits for results
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
    // A proxy's page.
    return {};
  }
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const milliseconds = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** The error of a response that is no success; reads its body. */
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
