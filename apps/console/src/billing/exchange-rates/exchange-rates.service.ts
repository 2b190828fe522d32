import { ConflictException, Inject, Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { RATE_DIGITS } from '@inference/metering';
import { scaledToDecimal } from '@inference/money';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type Actor } from '../../identity/audit-log/actor';
import { recordActorEvent } from '../../identity/audit-log/audit-log';
import { type PublishExchangeRatesDto } from './exchange-rates.dto';

const UPSERT = `
  INSERT INTO pricing.exchange_rates (day, usd_per_unit)
  SELECT * FROM unnest($1::date[], $2::text[]::numeric[])
  ON CONFLICT (day) DO UPDATE SET usd_per_unit = excluded.usd_per_unit`;

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
    await this.database.transaction(async (client) => {
      await client.query(UPSERT, [
        rates.map(({ date }) => date),
        rates.map(({ usd_per_unit: rate }) => scaledToDecimal(rate, RATE_DIGITS)),
      ]);
      await recordActorEvent(client, admin, 'admin.exchange_rates_published', { rows: rates.length });
    });
  }
}
