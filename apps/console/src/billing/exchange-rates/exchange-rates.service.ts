import { ConflictException, Inject, Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { RATE_DIGITS } from '@inference/metering';
import { scaledToDecimal } from '@inference/money';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type Actor } from '../../identity/audit-log/actor';
import { recordActorEvent } from '../../identity/audit-log/audit-log';
import { type PublishExchangeRatesDto } from './exchange-rates.dto';
import { storeExchangeRates } from './exchange-rates.repository';

@Injectable()
export class ExchangeRatesService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** Stores the USD value of one unit of the site's currency, each from its UTC day on. Throws 409 on a USD site. */
  async store(admin: Actor, { rates }: PublishExchangeRatesDto): Promise<void> {
    if (this.site.currency === 'USD') {
      throw new ConflictException("this site's currency is USD, which needs no exchange rate");
    }
    await this.database.transaction(async (transaction) => {
      await storeExchangeRates(
        transaction,
        rates.map(({ date, usd_per_unit: rate }) => ({
          day: date,
          usdPerUnit: scaledToDecimal(rate, RATE_DIGITS),
        })),
      );
      await recordActorEvent(transaction, admin, 'admin.exchange_rates_published', { rows: rates.length });
    });
  }
}
