import { insufficientBalance, keyLimitReached } from '../errors/openai-error';
import { type Hold, Lease } from './lease';
import { type LeaseStore } from './lease-store';

interface Waiter {
  amountPicos: bigint;
  /** When it no longer waits for what others give back; null until it was refused for the first time. */
  giveUpAtMillis: number | null;
  resolve(hold: Hold): void;
  reject(error: unknown): void;
}

export interface LeasePoolOptions {
  accountId: string;
  limitedKeyId: string | null;
  leaseAmountPicos: bigint;
  ttlMillis: number;
}

/** How often other processes are asked to give back what they do not need, and how long and often it is looked for. */
const RECALL_INTERVAL_MILLIS = 500;
const RECALL_PATIENCE_MILLIS = 500;
const RECALL_POLL_MILLIS = 100;

/** This process's lease on one wallet (and on one limited key), and the requests that wait for it. */
export class LeasePool {
  private lease: Lease | null = null;
  private waiters: Waiter[] = [];
  private drawing = false;
  private recalledAtMillis = -Infinity;
  private recalling = false;
  lastUsedMillis = performance.now();

  constructor(
    private readonly store: LeaseStore,
    readonly options: LeasePoolOptions,
  ) {}

  /** Resolves with a hold of this amount, or rejects with 402. */
  async hold(amountPicos: bigint): Promise<Hold> {
    this.lastUsedMillis = performance.now();
    const isNext = this.waiters.length === 0 || this.recalling;
    if (isNext && this.lease?.covers(amountPicos)) return this.lease.hold(amountPicos);
    return new Promise<Hold>((resolve, reject) => {
      this.waiters.push({ amountPicos, giveUpAtMillis: null, resolve, reject });
      if (!this.drawing) void this.serveWaiters();
    });
  }

  /** The lease, while there is any reason to keep it alive. */
  get current(): Lease | null {
    return this.lease?.stands ? this.lease : null;
  }

  get isIdle(): boolean {
    return this.waiters.length === 0 && !this.drawing && (this.lease?.heldPicos ?? 0n) === 0n;
  }

  lose(): void {
    if (this.lease) this.lease.stands = false;
    this.lease = null;
  }

  /** Gives back what no request holds; the whole lease when it is idle. */
  async giveBack(): Promise<void> {
    const lease = this.current;
    if (!lease) return;
    const close = this.isIdle;
    const sparePicos = lease.remainingPicos;
    if (!close && sparePicos <= 0n) return;
    lease.remainingPicos = 0n;
    if (close) this.lose();
    try {
      await this.store.giveBack(lease.id, sparePicos, close);
    } catch (error) {
      // Unknown whether it was given back: stop using it and let it expire.
      if (this.lease === lease) this.lose();
      throw error;
    }
  }

  private async serveWaiters(): Promise<void> {
    this.drawing = true;
    try {
      while (this.waiters.length > 0) {
        if (!this.serveFromLease()) await this.drawForFirst();
      }
    } catch (error) {
      for (const waiter of this.waiters.splice(0)) waiter.reject(error);
    } finally {
      this.drawing = false;
    }
  }

  private serveFromLease(): boolean {
    const [first] = this.waiters;
    if (!first || !this.lease?.covers(first.amountPicos)) return false;
    this.waiters.shift();
    first.resolve(this.lease.hold(first.amountPicos));
    return true;
  }

  private async drawForFirst(): Promise<void> {
    const first = this.waiters[0]!;
    const refusal = await this.draw(first.amountPicos);
    if (!refusal) return;
    if (refusal.elsewherePicos > 0n && (await this.waitForRecall(first))) return;
    if (this.serveFromLease()) return;
    const refused = this.waiters.filter((waiter) => waiter.amountPicos >= first.amountPicos);
    this.waiters = this.waiters.filter((waiter) => waiter.amountPicos < first.amountPicos);
    for (const waiter of refused) {
      waiter.reject(refusal.refusal === 'balance' ? insufficientBalance() : keyLimitReached());
    }
  }

  /** False when the others have had their time to give back what they do not need. */
  private async waitForRecall(waiter: Waiter): Promise<boolean> {
    const now = performance.now();
    const nextRecallMillis = Math.max(now, this.recalledAtMillis + RECALL_INTERVAL_MILLIS);
    waiter.giveUpAtMillis ??= nextRecallMillis + RECALL_PATIENCE_MILLIS;
    if (now > waiter.giveUpAtMillis) return false;
    this.serveCovered();
    this.recalling = true;
    try {
      if (now >= nextRecallMillis) {
        this.recalledAtMillis = now;
        await this.store.recall(this.options.accountId);
      }
      await new Promise((resolve) => setTimeout(resolve, RECALL_POLL_MILLIS));
    } finally {
      this.recalling = false;
    }
    return true;
  }

  /** Those behind the first one that need no more than there is do not wait with it. */
  private serveCovered(): void {
    this.waiters = this.waiters.filter(({ amountPicos, resolve }) => {
      if (!this.lease?.covers(amountPicos)) return true;
      resolve(this.lease.hold(amountPicos));
      return false;
    });
  }

  private async draw(amountPicos: bigint) {
    const { accountId, limitedKeyId, leaseAmountPicos, ttlMillis } = this.options;
    const current = this.current;
    const usable = current && performance.now() < current.deadlineMillis ? current.remainingPicos : 0n;
    const needPicos = amountPicos > usable ? amountPicos - usable : 0n;
    const waitingPicos = this.waiters.reduce((sum, waiter) => sum + waiter.amountPicos, 0n);
    const askedAtMillis = performance.now();
    const result = await this.store.draw({
      accountId,
      limitedKeyId,
      currentLeaseId: current?.id ?? null,
      needPicos,
      wantPicos: waitingPicos + leaseAmountPicos,
    });
    if ('refusal' in result) return result;
    if (this.lease?.id !== result.leaseId) {
      this.lose();
      this.lease = new Lease(result.leaseId, limitedKeyId !== null);
    }
    const lease = this.lease!;
    lease.remainingPicos += result.grantedPicos;
    lease.deadlineMillis = askedAtMillis + ttlMillis;
    return null;
  }
}
