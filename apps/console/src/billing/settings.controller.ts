import { Controller, Get, Inject, NotFoundException } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/credentials';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { exactNumber, picosToDecimal } from '@inference/money';
import { readWallet } from '@inference/wallet';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { PaymentProviders } from '../payment-providers/payment-providers';

const amount = (picos: bigint) => exactNumber(picosToDecimal(picos));

@Controller('api/billing/settings')
export class SettingsController {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
    private readonly providers: PaymentProviders,
  ) {}

  /** The caller's live balance and what the wallet page needs to offer a top-up; amounts in `currency`. */
  @Get()
  async read(@CurrentCaller() caller: Caller) {
    const wallet = await readWallet(this.pool, caller.accountId);
    if (!wallet) throw new NotFoundException('the account has no wallet');
    const { min, max, presets, lowBalanceThreshold } = this.config.topup;
    return {
      currency: wallet.currency,
      balance: amount(wallet.balancePicos),
      min_amount: amount(min),
      max_amount: amount(max),
      presets: presets.map(amount),
      providers: this.providers.views(),
      low_balance_threshold: amount(lowBalanceThreshold),
    };
  }
}
