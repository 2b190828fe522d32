import { Controller, Get, Inject, NotFoundException } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { exactNumber, picosToDecimal } from '@inference/money';
import { readWallet } from '@inference/wallet';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { TOP_UP_CONFIG, type TopUpConfig } from './top-up.config';

const toAmount = (picos: bigint) => exactNumber(picosToDecimal(picos));

@Controller('api/billing/settings')
export class SettingsController {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(TOP_UP_CONFIG) private readonly topUp: TopUpConfig,
    private readonly providers: PaymentProviders,
  ) {}

  /** The caller's live balance, the bounds and presets of a top-up and the providers. Amounts are in `currency`. */
  @Get()
  async read(@CurrentCaller() caller: Caller) {
    const wallet = await readWallet(this.pool, caller.accountId);
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
