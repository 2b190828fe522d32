import { AgentError } from './agent-error.ts';

export interface RetryOptions {
  /** Consecutive failures without progress after which the client gives up. */
  maxFailures: number;
  /** Milliseconds since the first of these failures after which the client gives up. */
  giveUpAfterMs: number;
  /** Maximum of the first pause. The maximum doubles with each failure. The `retry:` field of a stream replaces it. */
  baseDelayMs: number;
  maxDelayMs: number;
}

export const DEFAULT_RETRY: RetryOptions = {
  maxFailures: 10,
  giveUpAfterMs: 300_000,
  baseDelayMs: 500,
  maxDelayMs: 15_000,
};

/** Resolves after that time. Rejects with the reason of the signal when it is aborted. */
function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Returns an error response as it is. Any other failure is a lost connection. */
function asAgentError(failure: unknown): AgentError {
  if (failure instanceof AgentError) return failure;
  const why = failure instanceof Error ? failure.message : String(failure);
  return new AgentError(`The connection to the agent service was lost: ${why}`, {
    code: 'connection_lost',
    retryable: true,
    cause: failure,
  });
}

/** Exponential backoff with full jitter. Progress resets it. */
export class RetryBackoff {
  /** Set by the `retry:` field of a stream. */
  baseDelayMs: number;
  private failures = 0;
  private firstFailureAt = 0;

  constructor(
    private readonly options: RetryOptions,
    private readonly signal?: AbortSignal,
  ) {
    this.baseDelayMs = options.baseDelayMs;
  }

  progress(): void {
    this.failures = 0;
  }

  /** Waits until the next attempt. Throws the failure if a retry is useless, or the limits are reached. */
  async afterFailure(failure: unknown): Promise<void> {
    this.signal?.throwIfAborted();
    if (failure instanceof AgentError && !failure.retryable) throw failure;
    if (this.failures === 0) this.firstFailureAt = Date.now();
    this.failures += 1;
    const delay = this.nextDelay(failure);
    const isLate = Date.now() + delay - this.firstFailureAt > this.options.giveUpAfterMs;
    if (this.failures >= this.options.maxFailures || isLate) throw asAgentError(failure);
    await pause(delay, this.signal);
  }

  private nextDelay(failure: unknown): number {
    const ceiling = Math.min(this.options.maxDelayMs, this.baseDelayMs * 2 ** (this.failures - 1));
    const wanted = failure instanceof AgentError ? (failure.retryAfterMs ?? 0) : 0;
    return wanted + Math.random() * ceiling;
  }
}
