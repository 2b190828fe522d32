export interface CallUsage {
  inputTokens: number;
  outputTokens: number;
  /** What the answer says that it costs. */
  cost?: number;
}

/** The outcome of one request, as its client sees it. */
export interface CallResult {
  /** 0 if the connection broke before the response. */
  status: number;
  /** The header X-Inference-Request-Id. */
  requestId: string | null;
  /** True if a JSON body arrived completely, or if a stream reached its end without an error event. */
  complete: boolean;
  /** Null if the response does not report it. */
  usage: CallUsage | null;
  /** The `code` of OpenAI's error body. */
  errorCode: string | null;
  /** What the client says of a call that failed, for the report of a test. */
  fault?: string;
}

/** The result of a request whose connection broke before the response. */
export const broken = (error: unknown): CallResult => ({
  status: 0,
  requestId: null,
  complete: false,
  usage: null,
  errorCode: null,
  fault: reasonsOf(error).join(': '),
});

/** The messages of an error and of what caused it. `fetch` itself says only that it failed. */
function reasonsOf(error: unknown): string[] {
  const { message, code, cause } = error as { message: string; code?: string | null; cause?: unknown };
  const reason = code ? `${message} (${code})` : message;
  return cause ? [reason, ...reasonsOf(cause)] : [reason];
}

export function usageOf(usage: unknown): CallUsage | null {
  if (usage === null || typeof usage !== 'object') return null;
  const { prompt_tokens: input, completion_tokens: output = 0, cost } = usage as Record<string, unknown>;
  return typeof input === 'number' && typeof output === 'number'
    ? { inputTokens: input, outputTokens: output, ...(typeof cost === 'number' && { cost }) }
    : null;
}
