/** Whether an answer is still wanted. An AbortController does the same, but takes several microseconds of each request. */
export class Cancellation {
  private cancel: (() => void) | undefined;
  private isCancelled = false;

  get aborted(): boolean {
    return this.isCancelled;
  }

  /** Cancels what was registered last. */
  abort(): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.cancel?.();
  }

  /** Registers how the work that is running now is cancelled, instead of the work before it. */
  onAbort(cancel: () => void): void {
    this.cancel = cancel;
    if (this.isCancelled) cancel();
  }
}
