export type EventType = 'message' | 'tool_calls' | 'tool_result' | 'turn.failed' | 'turn.cancelled';

export interface EventError {
  /** Does not change between versions; clients branch on it. */
  code: string;
  message: string;
  retryable: boolean;
}

/** An idempotency key of the caller and the hash of the request that used it. */
export interface Idempotency {
  key: string;
  fingerprint: Buffer;
}
