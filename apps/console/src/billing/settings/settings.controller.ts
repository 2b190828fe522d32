import { Controller, Get, Inject, NotFoundException } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { Database } from '@inference/database';
import { exactNumber, picosToDecimal } from '@inference/money';
import { ApiErrors } from '@inference/openapi';
import { readWallet } from '@inference/wallet';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { BillingSettingsResponse } from './settings.dto';
import { TOP_UP_CONFIG, type TopUpConfig } from './top-up.config';

const toAmount = (picos: bigint) => exactNumber(picosToDecimal(picos));

@Controller('api/billing/settings')
@ApiTags('Payments')
export class SettingsController {
  constructor(
    private readonly database: Database,
    @Inject(TOP_UP_CONFIG) private readonly topUp: TopUpConfig,
    private readonly providers: PaymentProviders,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'getBillingSettings',
    summary: 'Returns the balance of the wallet, the bounds and presets of a top-up, and the providers.',
  })
  @ApiOkResponse({ description: 'The settings; amounts are in `currency`.', type: BillingSettingsResponse })
  @ApiErrors({ 404: 'The account has no wallet.' })
  async read(@CurrentCaller() caller: Caller): Promise<BillingSettingsResponse> {
    const wallet = await readWallet(this.database, caller.accountId);
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
