import { setTimeout as sleep } from 'node:timers/promises';
import { Metrics } from '@inference/http';
import { picosToDecimal } from '@inference/money';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { NotificationChannel } from '@inference/database';
import { Gauge } from 'prom-client';
import { FREE_HOLD, type Hold } from './lease';
import { LeaseAllocator } from './lease-allocator';
import { LeaseRepository, RECALL_CHANNEL } from './lease.repository';
import { LEASES_CONFIG, type LeasesConfig } from './leases.config';

/** An allocator without requests for this long returns its lease. Twice withholds money from other gateways; half draws again between two requests of one conversation. */
const IDLE_MILLIS = 5_000;
const SHUTDOWN_POLL_MILLIS = 20;
/** Limit for returning the leases at the end. What a database that does not answer keeps expires. Chosen: long enough for a busy database. */
const RETURN_LIMIT_MILLIS = 2_000;
/** Longest interval between two checks of all leases. A lease is checked at least four times in its life. */
const MAX_UPKEEP_INTERVAL_MILLIS = 1_000;

/** Reserves money for requests from leases, renews the leases while they are needed and returns what is not. */
@Injectable()
export class LeaseManager implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(LeaseManager.name);
  private readonly allocators = new Map<string, LeaseAllocator>();
  private readonly ttlMillis: number;
  private timer: NodeJS.Timeout | undefined;
  private upkeep: Promise<void> | undefined;
  private renewedAtMillis = 0;

  constructor(
    private readonly leases: LeaseRepository,
    @Inject(LEASES_CONFIG) private readonly config: LeasesConfig,
    channel: NotificationChannel,
  ) {
    this.ttlMillis = config.ttlSeconds * 1000;
    channel.on(
      RECALL_CHANNEL,
      (accountId) => void this.returnUnusedOf((allocator) => allocator.options.accountId === accountId),
    );
  }

  onApplicationBootstrap(): void {
    const intervalMillis = Math.min(MAX_UPKEEP_INTERVAL_MILLIS, this.ttlMillis / 4);
    this.timer = setInterval(() => {
      this.upkeep ??= this.maintain().finally(() => (this.upkeep = undefined));
    }, intervalMillis);
  }

  /** Waits for requests whose client has disconnected: they are still served and settled. All other requests have ended. */
  async onApplicationShutdown(): Promise<void> {
    while ([...this.allocators.values()].some((allocator) => !allocator.isIdle)) {
      await new Promise((resolve) => setTimeout(resolve, SHUTDOWN_POLL_MILLIS));
    }
    clearInterval(this.timer);
    const limit = sleep(RETURN_LIMIT_MILLIS, undefined, { ref: false });
    await Promise.race([limit, this.returnAll()]);
  }

  /** All leases of this process that are in use, their money, and the requests that hold some of it. */
  get totals(): { leases: number; holds: number; heldPicos: bigint; freePicos: bigint } {
    const totals = { leases: 0, holds: 0, heldPicos: 0n, freePicos: 0n };
    for (const { current } of this.allocators.values()) {
      if (!current) continue;
      totals.leases += 1;
      totals.holds += current.holds;
      totals.heldPicos += current.heldPicos;
      totals.freePicos += current.remainingPicos;
    }
    return totals;
  }

  /**
   * Reserves the worst case of a request. Rejects with InsufficientBalanceError or KeySpendLimitReachedError when the
   * wallet or the key's limit does not cover it.
   */
  async hold(caller: Caller, amountPicos: bigint): Promise<Hold> {
    if (amountPicos === 0n) return FREE_HOLD;
    return this.allocatorOf(caller).hold(amountPicos);
  }

  /** The money that a caller's requests could still be given (see LeaseAllocator.free). */
  free(caller: Caller, enoughPicos: bigint, isFresh = false): Promise<bigint> {
    return this.allocatorOf(caller).free(enoughPicos, isFresh);
  }

  private allocatorOf(caller: Caller): LeaseAllocator {
    const limitedKeyId = caller.apiKey?.spendLimited ? caller.apiKey.id : null;
    const allocatorKey = limitedKeyId ?? caller.accountId;
    let allocator = this.allocators.get(allocatorKey);
    if (!allocator) {
      allocator = new LeaseAllocator(this.leases, {
        accountId: caller.accountId,
        limitedKeyId,
        leaseAmountPicos: this.config.leaseAmountPicos,
        ttlMillis: this.ttlMillis,
        currency: this.config.currency,
        topUpUrl: this.config.topUpUrl,
      });
      this.allocators.set(allocatorKey, allocator);
    }
    return allocator;
  }

  private async maintain(): Promise<void> {
    try {
      await this.returnUnusedOf(
        (allocator) => allocator.isIdle && performance.now() - allocator.lastUsedMillis > IDLE_MILLIS,
      );
      for (const [key, allocator] of this.allocators)
        if (allocator.isIdle && !allocator.current) this.allocators.delete(key);
      if (performance.now() - this.renewedAtMillis > this.ttlMillis / 3) await this.renew();
    } catch (error) {
      this.logger.warn(`Leases could not be renewed: ${(error as Error).message}`);
    }
  }

  private async renew(): Promise<void> {
    const askedAtMillis = performance.now();
    const current = [...this.allocators.values()].flatMap((allocator) =>
      allocator.current ? [{ allocator, lease: allocator.current }] : [],
    );
    if (current.length > 0) {
      const standing = await this.leases.renew(current.map(({ lease }) => lease.id));
      for (const { allocator, lease } of current) {
        if (standing.has(lease.id)) lease.deadlineMillis = askedAtMillis + this.ttlMillis;
        else if (allocator.current === lease) allocator.dropLease();
      }
    }
    this.renewedAtMillis = askedAtMillis;
  }

  private async returnAll(): Promise<void> {
    await this.upkeep;
    await this.returnUnusedOf(() => true);
  }

  private async returnUnusedOf(matches: (allocator: LeaseAllocator) => boolean): Promise<void> {
    const returns = [...this.allocators.values()]
      .filter(matches)
      .map((allocator) => allocator.returnUnused());
    for (const result of await Promise.allSettled(returns)) {
      if (result.status === 'rejected')
        this.logger.warn(`A lease was not returned: ${String(result.reason)}`);
    }
  }
}

/** Measures the money that this process has set aside, in the currency of the site. */
@Injectable()
export class LeaseMetrics {
  constructor(leases: LeaseManager, { registry }: Metrics) {
    new Gauge({
      name: 'gateway_leases',
      help: 'Leases of this process that are in use.',
      registers: [registry],
      collect() {
        this.set(leases.totals.leases);
      },
    });
    new Gauge({
      name: 'gateway_lease_holds',
      help: 'Requests that hold money of leases in use.',
      registers: [registry],
      collect() {
        this.set(leases.totals.holds);
      },
    });
    new Gauge({
      name: 'gateway_lease_money',
      help: 'Money of leases in use, in units of the currency, by whether requests hold it or it is free.',
      labelNames: ['state'],
      registers: [registry],
      collect() {
        const { heldPicos, freePicos } = leases.totals;
        this.set({ state: 'held' }, Number(picosToDecimal(heldPicos)));
        this.set({ state: 'free' }, Number(picosToDecimal(freePicos)));
      },
    });
  }
}
