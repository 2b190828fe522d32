import { AgentError } from './agent-error.ts';

export interface RetryOptions {
  /** Failures in a row, without progress in between, after which to give up. */
  maxFailures: number;
  /** Milliseconds since the first of these failures after which to give up. */
  giveUpAfterMs: number;
  /** The first pause is at most this long, each further one at most twice the one before. A stream's `retry:` replaces it. */
  baseDelayMs: number;
  maxDelayMs: number;
}

export const DEFAULT_RETRY: RetryOptions = {
  maxFailures: 10,
  giveUpAfterMs: 300_000,
  baseDelayMs: 500,
  maxDelayMs: 15_000,
};

/** Resolves after that time; throws the signal's reason as soon as it is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
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

/** A refusal is told as it is; what no answer tells is a lost connection. */
function asAgentError(failure: unknown): AgentError {
  if (failure instanceof AgentError) return failure;
  const why = failure instanceof Error ? failure.message : String(failure);
  return new AgentError(`The connection to the agent service was lost: ${why}`, {
    code: 'connection_lost',
    retryable: true,
    cause: failure,
  });
}

/** How long to go on trying one thing: exponential backoff with full jitter, from its last progress on. */
export class Patience {
  /** What a stream has asked for by `retry:`. */
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

  /** Waits until it is time to try again; throws the failure when it is not passing, or was one too many. */
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
