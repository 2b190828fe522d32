import { Database } from '@inference/database';
import { exactNumber, picosToDecimal } from '@inference/money';
import { readWallet } from '@inference/wallet';
import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { setLowBalanceThreshold } from '../../notifications/low-balance/low-balance-alert.repository';
import { TOP_UP_CONFIG, type TopUpConfig } from '../billing.config';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { type BillingSettingsResponse, type UpdateBillingSettingsDto } from './settings.dto';

const toAmount = (picos: bigint) => exactNumber(picosToDecimal(picos));

@Injectable()
export class SettingsService {
  constructor(
    private readonly database: Database,
    @Inject(TOP_UP_CONFIG) private readonly topUp: TopUpConfig,
    private readonly providers: PaymentProviders,
  ) {}

  /** Throws 404 if the account has no wallet. */
  async read(accountId: string): Promise<BillingSettingsResponse> {
    const wallet = await readWallet(this.database, accountId);
    if (!wallet) throw new NotFoundException('the account has no wallet');
    const threshold = wallet.lowBalanceThresholdPicos ?? this.topUp.lowBalanceThresholdPicos;
    return {
      currency: wallet.currency,
      balance: toAmount(wallet.balancePicos),
      min_amount: toAmount(this.topUp.minPicos),
      max_amount: toAmount(this.topUp.maxPicos),
      presets: this.topUp.presetsPicos.map(toAmount),
      providers: this.providers.views(),
      low_balance_threshold: threshold === 0n ? null : toAmount(threshold),
    };
  }

  /** Throws 404 if the account has no wallet. */
  async update(accountId: string, input: UpdateBillingSettingsDto): Promise<BillingSettingsResponse> {
    const { low_balance_threshold: threshold } = input;
    if (threshold !== undefined) await setLowBalanceThreshold(this.database, accountId, threshold ?? 0n);
    return this.read(accountId);
  }
}
