import { Inject, Injectable } from '@nestjs/common';
import { type Currency } from '@inference/config';
import { Database, type Sql } from '@inference/database';
import { BackgroundJobs } from '@inference/jobs';
import { picosToDecimal } from '@inference/money';
import { queueMail } from '../mail/outbox';
import { LOW_BALANCE_CONFIG, type LowBalanceConfig } from './low-balance.config';

/** How late a low-balance mail may be requested. */
const INTERVAL_SECONDS = 15;
/** Wallets locked by one transaction. Kept small, because customers' requests may wait for these locks. */
const ALERT_BATCH_SIZE = 20;
const ARM_BATCH_SIZE = 500;

/** Skips locked wallets: they are in use, or another replica handles them. The next run finds them again. */
const TAKE_LOW = `
  WITH low AS MATERIALIZED (
    SELECT account_id FROM wallet.wallets WHERE low_balance_notice_due AND balance_picos < $1::numeric
    LIMIT ${ALERT_BATCH_SIZE} FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE wallet.wallets w SET low_balance_notice_due = false
  FROM low WHERE w.account_id = low.account_id
  RETURNING w.account_id AS "accountId", w.currency, w.balance_picos AS "balancePicos"`;
const ARM = `
  WITH sufficient AS MATERIALIZED (
    SELECT account_id FROM wallet.wallets WHERE NOT low_balance_notice_due AND balance_picos >= $1::numeric
    LIMIT ${ARM_BATCH_SIZE} FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE wallet.wallets w SET low_balance_notice_due = true
  FROM sufficient WHERE w.account_id = sufficient.account_id`;

interface LowWallet {
  accountId: string;
  currency: Currency;
  balancePicos: bigint;
}

/**
 * Requests a mail for each wallet whose balance has fallen below the threshold since its last mail: once, whatever the
 * number of replicas. Amounts reserved by leases count as balance. Settlement stays free of this check for speed, so the
 * job looks at all wallets.
 */
@Injectable()
export class LowBalanceAlertJob {
  constructor(
    private readonly database: Database,
    @Inject(LOW_BALANCE_CONFIG) private readonly config: LowBalanceConfig,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('alert-low-balances', INTERVAL_SECONDS, (stop) => this.run(stop));
  }

  /** Resolves when no mail is left to request. */
  async run(stop?: AbortSignal): Promise<void> {
    const { thresholdPicos } = this.config;
    const alert = () => this.database.transaction((client) => this.alertSome(client, thresholdPicos));
    while (!stop?.aborted && (await alert()) === ALERT_BATCH_SIZE);
    const arm = async () => (await this.database.query(ARM, [thresholdPicos])).rowCount;
    while (!stop?.aborted && (await arm()) === ARM_BATCH_SIZE);
  }

  private async alertSome(sql: Sql, thresholdPicos: bigint): Promise<number> {
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
}
