import { type Database } from '@inference/database';
import { type LimitsConfig } from './limits.config';
import { holdSlots } from './limits.repository';
import { type Subject } from './rate-slices';

/** Part of a limit that a process takes beyond what it needs. Chosen: small limits are taken one by one. */
const SPARE_PART = 8;
/** How long a refusal is answered from memory. Chosen: another process gives back what it does not use twice as often. */
const REFUSAL_MILLIS = 250;
const RENEWALS_OF_A_TTL = 4;
/** Part of a limit from which on a process keeps only what it needs. */
const SCARCE_PART = 1 / 2;

/** Counts the running calls of one subject, whose number all gateway processes share. */
export class Slots {
  private running = 0;
  /** The most that ran since the last upkeep. */
  private peak = 0;
  private granted = 0;
  private elsewhere = 0;
  private deadlineMillis = 0;
  private renewedAtMillis = 0;
  private refusedUntilMillis = 0;
  private waiting = 0;
  private renewing: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly config: LimitsConfig,
    private readonly subject: Subject,
    private readonly holder: string,
    private limit: number,
  ) {}

  change(limit: number): void {
    this.limit = limit;
    this.refusedUntilMillis = 0;
  }

  /** Returns whether another call may run. Each such call ends with `release`. */
  acquire(): boolean | Promise<boolean> {
    if (this.acquireHeld()) return true;
    if (performance.now() < this.refusedUntilMillis) return false;
    return this.acquireMore();
  }

  release(): void {
    this.running -= 1;
  }

  /** Counts calls that run already. Each ends with `release`. */
  adopt(calls: number): void {
    this.running += calls;
  }

  /** Whether no further call may run. */
  get isFull(): boolean {
    return !this.hasFree && performance.now() < this.refusedUntilMillis;
  }

  /** What the other processes leave of the limit, as far as this one knows. */
  get room(): number {
    return Math.max(0, this.limit - this.elsewhere);
  }

  /** Calls that run in this process. */
  get runningNow(): number {
    return this.running;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.granted === 0 && this.waiting === 0;
  }

  /**
   * Gives back what was not used lately, and keeps what is. As many again are kept while half of the limit is free: else each key that is
   * in use would give back and ask again twice a second.
   */
  async maintain(): Promise<void> {
    const used = Math.max(this.running, this.peak);
    this.peak = this.running;
    if (this.granted === 0 && used === 0) return;
    const ample = Math.min(this.granted, 2 * used);
    const want = ample + this.elsewhere <= this.limit * SCARCE_PART ? ample : used;
    const ageMillis = performance.now() - this.renewedAtMillis;
    const isDue = ageMillis > (this.config.slotsTtlSeconds * 1000) / RENEWALS_OF_A_TTL;
    if (want < this.granted || isDue) await this.renew(want);
  }

  /** Gives all back when the process stops. */
  async end(): Promise<void> {
    if (this.granted > 0) await this.renew(0);
  }

  private get hasFree(): boolean {
    return this.running < Math.min(this.granted, this.limit) && performance.now() < this.deadlineMillis;
  }

  private acquireHeld(): boolean {
    if (!this.hasFree) return false;
    this.running += 1;
    this.peak = Math.max(this.peak, this.running);
    return true;
  }

  /** Whoever waits for an answer of the database shares it, also its failure. */
  private async acquireMore(): Promise<boolean> {
    this.waiting += 1;
    try {
      for (;;) {
        const spare = Math.floor(this.limit / SPARE_PART);
        await (this.renewing ?? this.ask(this.running + this.waiting + spare));
        if (this.acquireHeld()) return true;
        if (performance.now() < this.refusedUntilMillis) return false;
      }
    } finally {
      this.waiting -= 1;
    }
  }

  private async renew(want: number): Promise<void> {
    while (this.renewing) await this.renewing.catch(() => undefined);
    await this.ask(want);
  }

  /** One statement at a time: a later one overwrites what an earlier one has set. */
  private ask(want: number): Promise<void> {
    this.renewing = this.hold(want).finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  private async hold(want: number): Promise<void> {
    const { slotsTtlSeconds: ttlSeconds } = this.config;
    const askedAtMillis = performance.now();
    const { id: subjectId, accountId } = this.subject;
    const limit = this.limit;
    // What runs by now, and what waits, is not given back by a wish from before.
    const wanted = Math.max(want, this.running + this.waiting);
    // Others may have what is given back before the answer comes.
    this.granted = Math.min(this.granted, wanted);
    const held = await holdSlots(this.database, {
      ...{ subjectId, accountId, holder: this.holder, limit },
      ...{ want: wanted, ttlSeconds },
    });
    this.granted = held.slots;
    this.elsewhere = held.elsewhere;
    this.renewedAtMillis = askedAtMillis;
    this.deadlineMillis = askedAtMillis + ttlSeconds * 1000;
    if (this.granted < wanted && limit === this.limit)
      this.refusedUntilMillis = performance.now() + REFUSAL_MILLIS;
  }
}
