import { ConflictException, Inject, Injectable } from '@nestjs/common';
import { CURRENCY_BY_SITE } from '@inference/config';
import { inTransaction, SQL_POOL, type SqlPool } from '@inference/database';
import { RATE_DIGITS } from '@inference/metering';
import { scaledToDecimal } from '@inference/money';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type Actor } from '../events/actor';
import { recordAct } from '../events/security-events';
import { type ExchangeRates } from './exchange-rates.dto';

const UPSERT = `
  INSERT INTO pricing.exchange_rates (day, usd_per_unit)
  SELECT * FROM unnest($1::date[], $2::text[]::numeric[])
  ON CONFLICT (day) DO UPDATE SET usd_per_unit = excluded.usd_per_unit`;

@Injectable()
export class ExchangeRatesService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** Sets what one unit of the site's currency is worth in USD from each of these days on. */
  async store(admin: Actor, { rates }: ExchangeRates): Promise<void> {
    if (CURRENCY_BY_SITE[this.config.SITE] === 'USD') {
      throw new ConflictException("this site's currency is USD, which needs no exchange rate");
    }
    await inTransaction(this.pool, async (client) => {
      await client.query(UPSERT, [
        rates.map(({ date }) => date),
        rates.map(({ usd_per_unit: rate }) => scaledToDecimal(rate, RATE_DIGITS)),
      ]);
      await recordAct(client, admin, 'admin.exchange_rates_published', { rows: rates.length });
    });
  }
}
