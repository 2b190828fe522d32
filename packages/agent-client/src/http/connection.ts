/** One request and its response. It is aborted if the service is silent for too long, or by the signal of the caller. */
export class Connection {
  private readonly control = new AbortController();

  constructor(
    private readonly silenceMs: number,
    private readonly caller?: AbortSignal,
  ) {
    caller?.throwIfAborted();
    caller?.addEventListener('abort', this.followCaller);
  }

  get signal(): AbortSignal {
    return this.control.signal;
  }

  /** Waits for an answer of the service. Closes the connection and rejects after `limitMs`. */
  awaited<T>(answer: Promise<T>, limitMs = this.silenceMs): Promise<T> {
    const { signal } = this.control;
    return new Promise((resolve, reject) => {
      const breakOff = () => reject(signal.reason);
      const timer = setTimeout(
        () => this.control.abort(new Error(`Nothing came for ${limitMs} ms.`)),
        limitMs,
      );
      signal.addEventListener('abort', breakOff);
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', breakOff);
      };
      void answer.then(resolve, reject).then(settle);
    });
  }

  close(): void {
    this.caller?.removeEventListener('abort', this.followCaller);
    this.control.abort();
  }

  private readonly followCaller = () => this.control.abort(this.caller?.reason);
}
