import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Currency } from '@inference/config';
import { inTransaction, isDatabaseUnavailable, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { picosToDecimal } from '@inference/money';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { queueMail } from '../mail/outbox';

const SWEEP_MILLIS = 15_000;
/** Wallets that one transaction holds, which requests may be waiting for: few, and for a moment. */
const TOLD_AT_ONCE = 20;
const ARMED_AT_ONCE = 500;

/** No wallet is waited for: one that is in use, or in another console's hands, is left for the next time. */
const TAKE_LOW = `
  WITH low AS MATERIALIZED (
    SELECT account_id FROM wallet.wallets WHERE low_balance_notice_due AND balance_picos < $1::numeric
    LIMIT ${TOLD_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE wallet.wallets w SET low_balance_notice_due = false
  FROM low WHERE w.account_id = low.account_id
  RETURNING w.account_id AS "accountId", w.currency, w.balance_picos AS "balancePicos"`;
const ARM = `
  WITH sound AS MATERIALIZED (
    SELECT account_id FROM wallet.wallets WHERE NOT low_balance_notice_due AND balance_picos >= $1::numeric
    LIMIT ${ARMED_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE wallet.wallets w SET low_balance_notice_due = true FROM sound WHERE w.account_id = sound.account_id`;

interface LowWallet {
  accountId: string;
  currency: Currency;
  balancePicos: bigint;
}

/**
 * Orders a mail for each wallet that has held the threshold since its last one and holds less now: once, from however
 * many consoles. What a wallet's leases set aside counts as held. Settlements do nothing for it, so that it looks at
 * every wallet.
 */
@Injectable()
export class LowBalanceSweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(LowBalanceSweep.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopping = false;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), SWEEP_MILLIS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** Until there is nobody to tell. */
  run(): Promise<void> {
    this.running ??= this.sweep()
      .catch((error: unknown) => this.report(error))
      .finally(() => (this.running = undefined));
    return this.running;
  }

  private async sweep(): Promise<void> {
    const threshold = this.config.topup.lowBalanceThreshold;
    const tell = () => inTransaction(this.pool, (client) => this.tellSome(client, threshold));
    while (!this.stopping && (await tell()) === TOLD_AT_ONCE);
    const arm = async () => (await this.pool.query(ARM, [threshold])).rowCount;
    while (!this.stopping && (await arm()) === ARMED_AT_ONCE);
  }

  private async tellSome(sql: Sql, thresholdPicos: bigint): Promise<number> {
    const { rows } = await sql.query<LowWallet>(TAKE_LOW, [thresholdPicos]);
    const threshold = picosToDecimal(thresholdPicos);
    const at = new Date().toISOString();
    for (const { accountId, currency, balancePicos } of rows) {
      const balance = picosToDecimal(balancePicos);
      await queueMail(sql, {
        kind: 'low_balance',
        accountId,
        params: { threshold, balance, currency, at },
      });
    }
    return rows.length;
  }

  /** A database that is away is told of by the health probe. */
  private report(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.logger.error(error);
  }
}
