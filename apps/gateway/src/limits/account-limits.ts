import { setTimeout as sleep } from 'node:timers/promises';
import { Database, NotificationChannel } from '@inference/database';
import { limitsOfModelIn, type ModelLimits, tierIndexOf } from '@inference/rate-limits';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { LIMITS_CONFIG, type LimitsConfig } from './limits.config';
import { type Override, readOverrides, readStanding } from './limits.repository';

/** How long a tier is used before it is looked up again. Chosen: who has paid waits no longer for the next tier. */
const TIER_MILLIS = 30_000;
const MOST_TIERS = 20_000;
/** How often all overrides are read, beside each notification: those that end, and what a lost notification told. */
const RELOAD_MILLIS = 15_000;
/** After a failure. Chosen: what staff has set holds within two seconds. */
const RETRY_MILLIS = 500;

interface KnownTier {
  index: number;
  staleAtMillis: number;
}

/** The limits of accounts for models: those of their tiers, unless staff has set others. */
@Injectable()
export class AccountLimits implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(AccountLimits.name);
  private overrides = new Map<string, Record<string, Override & { endsAtMillis: number }>>();
  private readonly tiers = new Map<string, KnownTier>();
  private readonly lookups = new Map<string, Promise<number>>();
  private timer: NodeJS.Timeout | undefined;
  private isLoading = false;
  /** Something may have changed since the overrides were asked for. */
  private isStale = false;
  private isStopped = false;

  constructor(
    private readonly database: Database,
    @Inject(LIMITS_CONFIG) private readonly config: LimitsConfig,
    channel: NotificationChannel,
  ) {
    channel.on('limit_overrides', () => void this.reload());
    channel.onReconnect(() => void this.reload());
  }

  onApplicationBootstrap(): void {
    void this.reload();
    this.timer = setInterval(() => void this.reload(), RELOAD_MILLIS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    this.isStopped = true;
    clearInterval(this.timer);
  }

  /** Null: no limits. Asks the database for a tier that is not known yet only. */
  of(accountId: string, model: string): ModelLimits | null | Promise<ModelLimits | null> {
    const overrides = this.overrides.get(accountId);
    const override = overrides && limitsOfModelIn(overrides, model);
    if (override && performance.now() < override.endsAtMillis) return override;
    if (this.config.tiers.length === 0) return null;
    const known = this.tiers.get(accountId);
    if (known && performance.now() >= known.staleAtMillis) this.lookUp(accountId).catch(() => undefined);
    return known
      ? this.limitsOfTier(known.index, model)
      : this.lookUp(accountId).then((index) => this.limitsOfTier(index, model));
  }

  /** How large its share of a full upstream is beside those of others: by its tier, as far as that is known yet. */
  weightOf(accountId: string): number {
    if (this.config.tiers.length === 0) return 1;
    const known = this.tiers.get(accountId);
    if (!known) this.lookUp(accountId).catch(() => undefined);
    return known ? this.config.tiers[known.index]!.weight : 1;
  }

  private limitsOfTier(index: number, model: string): ModelLimits | null {
    return limitsOfModelIn(this.config.tiers[index]!.models, model) ?? null;
  }

  private lookUp(accountId: string): Promise<number> {
    const running = this.lookups.get(accountId);
    if (running) return running;
    const lookup = readStanding(this.database, accountId)
      .then(({ paid, ageDays }) => {
        const index = tierIndexOf(this.config.tiers, { paid, ageDays: ageDays ?? 0 });
        this.tiers.delete(accountId);
        this.tiers.set(accountId, { index, staleAtMillis: performance.now() + TIER_MILLIS });
        const oldest = this.tiers.keys().next().value;
        if (this.tiers.size > MOST_TIERS && oldest !== undefined) this.tiers.delete(oldest);
        return index;
      })
      .finally(() => this.lookups.delete(accountId));
    this.lookups.set(accountId, lookup);
    return lookup;
  }

  /** One load at a time: an earlier answer must not replace a later one. */
  private async reload(): Promise<void> {
    this.isStale = true;
    if (this.isLoading) return;
    this.isLoading = true;
    while (this.isStale && !this.isStopped) {
      this.isStale = false;
      if (await this.load()) continue;
      this.isStale = true;
      await sleep(RETRY_MILLIS, undefined, { ref: false });
    }
    this.isLoading = false;
  }

  /** Returns whether it succeeded. */
  private async load(): Promise<boolean> {
    const askedAtMillis = performance.now();
    try {
      const loaded: typeof this.overrides = new Map();
      for (const override of await readOverrides(this.database)) {
        const ofAccount = loaded.get(override.accountId) ?? {};
        const endsAtMillis = askedAtMillis + (override.endsInMillis ?? Infinity);
        ofAccount[override.model] = { ...override, endsAtMillis };
        loaded.set(override.accountId, ofAccount);
      }
      this.overrides = loaded;
      return true;
    } catch (error) {
      this.logger.warn(`The limits that staff has set could not be read: ${(error as Error).message}`);
      return false;
    }
  }
}
