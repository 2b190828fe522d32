import { Database, type Transaction } from '@inference/database';
import { BackgroundJobs } from '@inference/jobs';
import { picosToDecimal } from '@inference/money';
import { Inject, Injectable } from '@nestjs/common';
import { queueMail } from '../mail/outbox';
import { LOW_BALANCE_CONFIG, type LowBalanceConfig } from '../notifications.config';
import { claimLowWallets, enableSufficientWallets } from './low-balance-alert.repository';

/** How late a low-balance mail may be requested. */
const INTERVAL_SECONDS = 15;
/** Wallets locked by one transaction. Kept small, because customers' requests may wait for these locks. */
const ALERT_BATCH_SIZE = 20;
const ENABLE_BATCH_SIZE = 500;

/**
 * Requests a mail for each wallet whose balance has fallen below its threshold since its last mail: once, whatever the
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
    const alert = () =>
      this.database.transaction((transaction) => this.alertSome(transaction, thresholdPicos));
    while (!stop?.aborted && (await alert()) === ALERT_BATCH_SIZE);
    const enable = () => enableSufficientWallets(this.database, thresholdPicos, ENABLE_BATCH_SIZE);
    while (!stop?.aborted && (await enable()) === ENABLE_BATCH_SIZE);
  }

  private async alertSome(transaction: Transaction, siteThresholdPicos: bigint): Promise<number> {
    const wallets = await claimLowWallets(transaction, siteThresholdPicos, ALERT_BATCH_SIZE);
    const at = new Date().toISOString();
    for (const { accountId, currency, balancePicos, thresholdPicos } of wallets) {
      const threshold = picosToDecimal(thresholdPicos);
      const balance = picosToDecimal(balancePicos);
      await queueMail(transaction, {
        kind: 'low_balance',
        accountId,
        params: { threshold, balance, currency, at },
      });
    }
    return wallets.length;
  }
}
