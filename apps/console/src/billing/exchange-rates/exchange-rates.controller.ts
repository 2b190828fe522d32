import { Controller, Put } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { ValidBody } from '@inference/http';
import { RATE_DIGITS } from '@inference/metering';
import { exactNumber, scaledToDecimal } from '@inference/money';
import { type Actor, CurrentActor } from '../../identity/audit-log/actor';
import {
  publishExchangeRatesDto,
  type PublishExchangeRatesDto,
  type ExchangeRateView,
} from './exchange-rates.dto';
import { ExchangeRatesService } from './exchange-rates.service';

@Controller('api/admin/billing/exchange-rates')
@Roles('admin')
export class ExchangeRatesController {
  constructor(private readonly exchangeRates: ExchangeRatesService) {}

  /** `{rates: [{date, usd_per_unit}]}`: adds or changes these days. The answer is what was stored. */
  @Put()
  async store(
    @CurrentActor() admin: Actor,
    @ValidBody(publishExchangeRatesDto) body: PublishExchangeRatesDto,
  ): Promise<{ rates: ExchangeRateView[] }> {
    await this.exchangeRates.store(admin, body);
    return {
      rates: body.rates.map(({ date, usd_per_unit: rate }) => ({
        date,
        usd_per_unit: exactNumber(scaledToDecimal(rate, RATE_DIGITS)),
      })),
    };
  }
}
