/** Runs work at an interval, never twice at a time: a run that takes long delays the next one. */
export class RepeatingTask {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  /** @param work must not reject */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly intervalMillis: number,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.runUnlessRunning(), this.intervalMillis);
  }

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private runUnlessRunning(): void {
    this.running ??= this.work().finally(() => (this.running = undefined));
  }
}
