import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { Database } from '@inference/database';
import { exactNumber, picosToDecimal } from '@inference/money';
import { readWallet } from '@inference/wallet';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { type BillingSettingsResponse } from './settings.dto';
import { TOP_UP_CONFIG, type TopUpConfig } from './top-up.config';

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
    return {
      currency: wallet.currency,
      balance: toAmount(wallet.balancePicos),
      min_amount: toAmount(this.topUp.minPicos),
      max_amount: toAmount(this.topUp.maxPicos),
      presets: this.topUp.presetsPicos.map(toAmount),
      providers: this.providers.views(),
      low_balance_threshold: toAmount(this.topUp.lowBalanceThresholdPicos),
    };
  }
}
