const AT_ONCE = 10;

/** Works off what is due, at most ten at a time: what takes long holds up nothing else. */
export class DuePump<Job> {
  private readonly underway = new Set<Promise<void>>();
  private claiming = false;
  private stopped = false;

  constructor(
    /** Takes at most so many of what is due, so that nobody else does. */
    private readonly claim: (count: number) => Promise<Job[]>,
    private readonly work: (job: Job) => Promise<void>,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Looks whether anything is due. */
  wake(): void {
    if (this.stopped || this.claiming || this.underway.size >= AT_ONCE) return;
    this.claiming = true;
    this.track(this.start().finally(() => (this.claiming = false)));
  }

  /** Resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    while (this.underway.size > 0) await Promise.all(this.underway);
  }

  private async start(): Promise<void> {
    const wanted = AT_ONCE - this.underway.size;
    const jobs = await this.claim(wanted);
    const mayBeMore = jobs.length === wanted;
    for (const job of jobs) this.track(this.work(job).then(() => mayBeMore && this.wake()));
  }

  private track(work: Promise<unknown>): void {
    const tracked: Promise<void> = work
      .then(() => undefined, this.report)
      .finally(() => this.underway.delete(tracked));
    this.underway.add(tracked);
  }
}
