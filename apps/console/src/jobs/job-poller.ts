/** Jobs in progress at the same time in one process. Chosen: a slow job then holds up few others. */
const MAX_CONCURRENT_JOBS = 10;

/** Claims due jobs and runs them, at most ten at a time. */
export class JobPoller<Job> {
  private readonly inProgress = new Set<Promise<void>>();
  private claiming = false;
  private stopped = false;

  constructor(
    /** Claims at most `count` due jobs, so that no other replica runs them. */
    private readonly claim: (count: number) => Promise<Job[]>,
    private readonly run: (job: Job) => Promise<void>,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Claims jobs if some are due and fewer than ten are in progress. */
  wake(): void {
    if (this.stopped || this.claiming || this.inProgress.size >= MAX_CONCURRENT_JOBS) return;
    this.claiming = true;
    this.track(this.start().finally(() => (this.claiming = false)));
  }

  /** Resolves when the jobs in progress have ended. No further jobs are claimed. */
  async stop(): Promise<void> {
    this.stopped = true;
    while (this.inProgress.size > 0) await Promise.all(this.inProgress);
  }

  private async start(): Promise<void> {
    const wanted = MAX_CONCURRENT_JOBS - this.inProgress.size;
    const jobs = await this.claim(wanted);
    const mayBeMore = jobs.length === wanted;
    for (const job of jobs) this.track(this.run(job).then(() => mayBeMore && this.wake()));
  }

  private track(work: Promise<unknown>): void {
    const tracked: Promise<void> = work
      .then(() => undefined, this.report)
      .finally(() => this.inProgress.delete(tracked));
    this.inProgress.add(tracked);
  }
}
