export interface CallUsage {
  inputTokens: number;
  outputTokens: number;
}

/** What a client knows of one request after it. */
export interface CallResult {
  /** 0 when the connection broke before an answer. */
  status: number;
  /** X-Inference-Request-Id. */
  requestId: string | null;
  /** A plain body arrived whole, or a stream to its end without an error in it. */
  complete: boolean;
  /** Where the answer told it. */
  usage: CallUsage | null;
  /** OpenAI's machine-readable code of an error. */
  errorCode: string | null;
}

export const BROKEN: CallResult = {
  status: 0,
  requestId: null,
  complete: false,
  usage: null,
  errorCode: null,
};

export function usageOf(usage: unknown): CallUsage | null {
  if (usage === null || typeof usage !== 'object') return null;
  const { prompt_tokens: input, completion_tokens: output = 0 } = usage as Record<string, unknown>;
  return typeof input === 'number' && typeof output === 'number'
    ? { inputTokens: input, outputTokens: output }
    : null;
}
