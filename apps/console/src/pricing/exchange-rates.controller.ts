import { Controller, Put } from '@nestjs/common';
import { Roles } from '@inference/credentials';
import { ValidBody } from '@inference/http';
import { RATE_DIGITS } from '@inference/metering';
import { exactNumber, scaledToDecimal } from '@inference/money';
import { type Actor, CurrentActor } from '../events/actor';
import { exchangeRates, type ExchangeRates, type ExchangeRateView } from './exchange-rates.dto';
import { ExchangeRatesService } from './exchange-rates.service';

@Controller('api/admin/billing/exchange-rates')
@Roles('admin')
export class ExchangeRatesController {
  constructor(private readonly exchangeRates: ExchangeRatesService) {}

  /** `{rates: [{date, usd_per_unit}]}`: adds these days, or changes them; the answer is what was stored. */
  @Put()
  async store(
    @CurrentActor() admin: Actor,
    @ValidBody(exchangeRates) body: ExchangeRates,
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
