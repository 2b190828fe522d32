import { type Currency } from '@inference/config';
import { picosToDecimal } from '@inference/money';
import { GatewayError } from '../errors/openai-error';
import { type Hold, Lease } from './lease';
import { type LeaseRepository } from './lease.repository';

interface Shortfall {
  neededPicos: bigint;
  /** What the wallet has for this request. */
  freePicos: bigint;
  currency: Currency;
  topUpUrl: string | undefined;
}

/** Payments have two decimals. */
const PICOS_PER_CENT = 10n ** 10n;

/** The free money does not cover the worst case of a request. */
export abstract class UncoveredError extends GatewayError {
  /**
   * The same for a request whose answers are limited by a number of tokens that is too high.
   * @param tokens the highest number that is covered, 0 for none
   */
  abstract affording(tokens: number): UncoveredError;

  /** Adds headers that tell the state of the caller's limits. */
  tell(headers: Record<string, string>): void {
    this.headers = { ...this.headers, ...headers };
  }
}

/** What a client can do beside paying. */
const lowerTo = (tokens: number | undefined): string =>
  tokens ? `, or limit the answer to ${tokens} tokens or fewer` : '';

const affordable = (tokens: number | undefined): Record<string, string> =>
  tokens ? { affordable_output_tokens: String(tokens) } : {};

/** The wallet's free money does not cover the worst case of the request. */
export class InsufficientBalanceError extends UncoveredError {
  /** @param shortfall what is missing; null if it could not be read, or if money has just come */
  constructor(
    private readonly shortfall: Shortfall | null,
    tokens?: number,
  ) {
    super('insufficient_balance', messageOf(shortfall, tokens), undefined, {
      ...(shortfall && detailsOf(shortfall)),
      ...affordable(tokens),
    });
  }

  affording(tokens: number): InsufficientBalanceError {
    return new InsufficientBalanceError(this.shortfall, tokens);
  }
}

function messageOf(shortfall: Shortfall | null, tokens: number | undefined): string {
  if (!shortfall)
    return `The wallet does not cover the most that this request can cost. Top up${lowerTo(tokens)}.`;
  const { available_amount, required_amount, missing_amount, currency } = detailsOf(shortfall);
  return `The wallet has ${available_amount} ${currency} free, but this request can cost up to ${required_amount} ${currency}. Top up at least ${missing_amount} ${currency}${lowerTo(tokens)}.`;
}

function detailsOf({ neededPicos, freePicos, currency, topUpUrl }: Shortfall) {
  const missingPicos = neededPicos - freePicos;
  const payable = ((missingPicos + PICOS_PER_CENT - 1n) / PICOS_PER_CENT) * PICOS_PER_CENT;
  return {
    available_amount: picosToDecimal(freePicos),
    required_amount: picosToDecimal(neededPicos),
    missing_amount: picosToDecimal(missingPicos),
    currency,
    ...(topUpUrl !== undefined && { top_up_url: `${topUpUrl}?amount=${picosToDecimal(payable)}` }),
  };
}

/** The remaining spending limit of the API key does not cover the worst case of the request. */
class KeySpendLimitReachedError extends UncoveredError {
  constructor(tokens?: number) {
    super(
      'key_spend_limit_reached',
      `This API key's spending limit does not cover the most that this request can cost. Raise it${lowerTo(tokens)}.`,
      undefined,
      affordable(tokens),
    );
  }

  affording(tokens: number): KeySpendLimitReachedError {
    return new KeySpendLimitReachedError(tokens);
  }
}

interface Waiter {
  amountPicos: bigint;
  /** When it stops waiting for money of other processes (performance.now()); null until it is refused for the first time. */
  giveUpAtMillis: number | null;
  resolve(hold: Hold): void;
  reject(error: unknown): void;
}

export interface LeaseAllocatorOptions {
  accountId: string;
  limitedKeyId: string | null;
  leaseAmountPicos: bigint;
  ttlMillis: number;
  currency: Currency;
  topUpUrl: string | undefined;
}

/** Shortest interval between two recalls, which ask the other processes to return money that they do not need. */
const RECALL_INTERVAL_MILLIS = 500;
/** How long a request waits after a recall for other processes to return money. */
const RECALL_WAIT_MILLIS = 500;
/**
 * How long a reading of the free money is trusted when a request without a limit is given one; a hold always asks the database. Chosen: an
 * account in steady use reads every other second; half would double that, twice would go by money that is long spent.
 */
const FREE_TRUSTED_MILLIS = 2_000;
/** Interval at which a waiting request checks whether money was returned. */
const RECALL_POLL_MILLIS = 100;

/** Allocates holds from this process's lease on one wallet (or on one key with a spending limit), in the order of requests. */
export class LeaseAllocator {
  private lease: Lease | null = null;
  private waiters: Waiter[] = [];
  private drawing = false;
  private recalledAtMillis = -Infinity;
  private recalling = false;
  /** What could be drawn when it was read, less what this process has drawn since. */
  private drawable = { picos: 0n, readAtMillis: -Infinity };
  private reading: Promise<void> | undefined;
  lastUsedMillis = performance.now();

  constructor(
    private readonly leases: LeaseRepository,
    readonly options: LeaseAllocatorOptions,
  ) {}

  /** Reserves this amount. Rejects with InsufficientBalanceError or KeySpendLimitReachedError. */
  async hold(amountPicos: bigint): Promise<Hold> {
    this.lastUsedMillis = performance.now();
    const isNext = this.waiters.length === 0 || this.recalling;
    if (isNext && this.lease?.covers(amountPicos)) return this.lease.hold(amountPicos);
    return new Promise<Hold>((resolve, reject) => {
      this.waiters.push({ amountPicos, giveUpAtMillis: null, resolve, reject });
      if (!this.drawing) void this.serveWaiters();
    });
  }

  /**
   * Returns the money that requests of this process could still be given: in its lease, in the wallet and under the limit of the key.
   * @param enoughPicos with so much in the lease nothing else is looked at, unless the answer has to be fresh
   * @param isFresh whether the database is asked in any case
   */
  async free(enoughPicos: bigint, isFresh: boolean): Promise<bigint> {
    const inLease = () => this.current?.remainingPicos ?? 0n;
    if (!isFresh && inLease() >= enoughPicos) return inLease();
    const isTrusted = performance.now() - this.drawable.readAtMillis < FREE_TRUSTED_MILLIS;
    if (isFresh || !isTrusted)
      await (this.reading ??= this.readDrawable().finally(() => (this.reading = undefined)));
    return inLease() + this.drawable.picos;
  }

  private async readDrawable(): Promise<void> {
    const { accountId, limitedKeyId } = this.options;
    const readAtMillis = performance.now();
    const { walletPicos, limitPicos } = await this.leases.readFree(accountId, limitedKeyId);
    const picos = limitPicos !== null && limitPicos < walletPicos ? limitPicos : walletPicos;
    this.drawable = { picos: picos > 0n ? picos : 0n, readAtMillis };
  }

  /** The lease, or null if there is none or it is no longer valid. */
  get current(): Lease | null {
    return this.lease?.isValid ? this.lease : null;
  }

  get isIdle(): boolean {
    return this.waiters.length === 0 && !this.drawing && (this.lease?.heldPicos ?? 0n) === 0n;
  }

  dropLease(): void {
    if (this.lease) this.lease.isValid = false;
    this.lease = null;
  }

  /** Returns money that no request holds to the wallet; ends the lease if it is idle. */
  async returnUnused(): Promise<void> {
    const lease = this.current;
    if (!lease) return;
    const close = this.isIdle;
    const sparePicos = lease.remainingPicos;
    if (!close && sparePicos <= 0n) return;
    lease.remainingPicos = 0n;
    if (close) this.dropLease();
    try {
      await this.leases.returnMoney(lease.id, sparePicos, close);
    } catch (error) {
      // Whether the money was returned is unknown: stop using the lease and let it expire.
      if (this.lease === lease) this.dropLease();
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
    if (refusal.otherLeasesPicos > 0n && (await this.waitForRecall(first))) return;
    if (this.serveFromLease()) return;
    // Who asks from now on is not refused by this answer.
    const refused = this.waiters.filter((waiter) => waiter.amountPicos >= first.amountPicos);
    this.waiters = this.waiters.filter((waiter) => waiter.amountPicos < first.amountPicos);
    const freePicos = refusal.refusal === 'balance' ? await this.readFree() : null;
    for (const waiter of refused) {
      waiter.reject(
        refusal.refusal === 'balance'
          ? new InsufficientBalanceError(this.shortfallOf(waiter.amountPicos, freePicos))
          : new KeySpendLimitReachedError(),
      );
    }
  }

  /** What a request could be served from: the free money of the wallet and of this process's lease. */
  private async readFree(): Promise<bigint | null> {
    try {
      const { walletPicos } = await this.leases.readFree(this.options.accountId, null);
      return walletPicos + (this.current?.remainingPicos ?? 0n);
    } catch {
      // The refusal stands without it.
      return null;
    }
  }

  private shortfallOf(neededPicos: bigint, freePicos: bigint | null): Shortfall | null {
    const { currency, topUpUrl } = this.options;
    if (freePicos === null || freePicos >= neededPicos) return null;
    return { neededPicos, freePicos, currency, topUpUrl };
  }

  /** Waits a short time for returned money. Returns false when the waiting time of the request is over. */
  private async waitForRecall(waiter: Waiter): Promise<boolean> {
    const now = performance.now();
    const nextRecallMillis = Math.max(now, this.recalledAtMillis + RECALL_INTERVAL_MILLIS);
    waiter.giveUpAtMillis ??= nextRecallMillis + RECALL_WAIT_MILLIS;
    if (now > waiter.giveUpAtMillis) return false;
    this.serveCovered();
    this.recalling = true;
    try {
      if (now >= nextRecallMillis) {
        this.recalledAtMillis = now;
        await this.leases.recall(this.options.accountId);
      }
      await new Promise((resolve) => setTimeout(resolve, RECALL_POLL_MILLIS));
    } finally {
      this.recalling = false;
    }
    return true;
  }

  /** Serves the requests behind the first one that the lease covers, so that they do not wait with it. */
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
    const result = await this.leases.draw({
      accountId,
      limitedKeyId,
      currentLeaseId: current?.id ?? null,
      needPicos,
      wantPicos: waitingPicos + leaseAmountPicos,
    });
    if ('refusal' in result) return result;
    if (this.lease?.id !== result.leaseId) {
      this.dropLease();
      this.lease = new Lease(result.leaseId, limitedKeyId !== null);
    }
    const lease = this.lease!;
    lease.remainingPicos += result.grantedPicos;
    const { picos } = this.drawable;
    this.drawable.picos = picos > result.grantedPicos ? picos - result.grantedPicos : 0n;
    lease.deadlineMillis = askedAtMillis + ttlMillis;
    return null;
  }
}
