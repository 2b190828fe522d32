import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Caller } from '@inference/credentials';
import { NotificationChannel } from '@inference/database';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { FREE_HOLD, type Hold } from './lease';
import { LeasePool } from './lease-pool';
import { LeaseStore, RECALL_CHANNEL } from './lease-store';

/** A wallet that nobody used for this long gets its lease back. */
const IDLE_MILLIS = 5_000;
const SHUTDOWN_POLL_MILLIS = 20;

/** Holds money for requests out of leases, keeps the leases alive while they are needed, gives the rest back. */
@Injectable()
export class LeaseDesk implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(LeaseDesk.name);
  private readonly pools = new Map<string, LeasePool>();
  private readonly ttlMillis: number;
  private timer: NodeJS.Timeout | undefined;
  private upkeep: Promise<void> | undefined;
  private renewedAtMillis = 0;

  constructor(
    private readonly store: LeaseStore,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    channel: NotificationChannel,
  ) {
    this.ttlMillis = config.LEASE_TTL_SECONDS * 1000;
    channel.on(
      RECALL_CHANNEL,
      (accountId) => void this.giveBackAll((pool) => pool.options.accountId === accountId),
    );
  }

  onApplicationBootstrap(): void {
    const intervalMillis = Math.min(1_000, this.ttlMillis / 4);
    this.timer = setInterval(() => {
      this.upkeep ??= this.keepUp().finally(() => (this.upkeep = undefined));
    }, intervalMillis);
  }

  /** By now every request has ended but those whose client has left: they are still to be paid for. */
  async onApplicationShutdown(): Promise<void> {
    while ([...this.pools.values()].some((pool) => !pool.isIdle)) {
      await new Promise((resolve) => setTimeout(resolve, SHUTDOWN_POLL_MILLIS));
    }
    clearInterval(this.timer);
    await this.upkeep;
    await this.giveBackAll(() => true);
  }

  /** Sets the worst case of a request aside. Rejects with 402 when wallet or key limit do not cover it. */
  async hold(caller: Caller, amountPicos: bigint): Promise<Hold> {
    if (amountPicos === 0n) return FREE_HOLD;
    const limitedKeyId = caller.apiKey?.spendLimited ? caller.apiKey.id : null;
    const poolKey = limitedKeyId ?? caller.accountId;
    let pool = this.pools.get(poolKey);
    if (!pool) {
      pool = new LeasePool(this.store, {
        accountId: caller.accountId,
        limitedKeyId,
        leaseAmountPicos: this.config.LEASE_AMOUNT,
        ttlMillis: this.ttlMillis,
      });
      this.pools.set(poolKey, pool);
    }
    return pool.hold(amountPicos);
  }

  private async keepUp(): Promise<void> {
    try {
      await this.giveBackAll((pool) => pool.isIdle && performance.now() - pool.lastUsedMillis > IDLE_MILLIS);
      for (const [key, pool] of this.pools) if (pool.isIdle && !pool.current) this.pools.delete(key);
      if (performance.now() - this.renewedAtMillis > this.ttlMillis / 3) await this.renew();
    } catch (error) {
      this.logger.warn(`Leases could not be kept up: ${(error as Error).message}`);
    }
  }

  private async renew(): Promise<void> {
    const askedAtMillis = performance.now();
    const leases = [...this.pools.values()].flatMap((pool) =>
      pool.current ? [{ pool, lease: pool.current }] : [],
    );
    if (leases.length > 0) {
      const standing = await this.store.renew(leases.map(({ lease }) => lease.id));
      for (const { pool, lease } of leases) {
        if (standing.has(lease.id)) lease.deadlineMillis = askedAtMillis + this.ttlMillis;
        else if (pool.current === lease) pool.lose();
      }
    }
    this.renewedAtMillis = askedAtMillis;
  }

  private async giveBackAll(matches: (pool: LeasePool) => boolean): Promise<void> {
    const returns = [...this.pools.values()].filter(matches).map((pool) => pool.giveBack());
    for (const result of await Promise.allSettled(returns)) {
      if (result.status === 'rejected')
        this.logger.warn(`A lease was not given back: ${String(result.reason)}`);
    }
  }
}
