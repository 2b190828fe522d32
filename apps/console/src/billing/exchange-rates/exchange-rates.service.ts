import { Database } from '@inference/database';
import { decodeCursor, encodeCursor, type PageQuery } from '@inference/http';
import { type ExchangeRate, RATE_DIGITS } from '@inference/metering';
import { exactNumber, scaledToDecimal } from '@inference/money';
import { BadRequestException, ConflictException, Inject, Injectable } from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordActorEvent } from '../../accounts/audit-log/audit-log';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import {
  type ExchangeRateHistoryResponse,
  type ExchangeRateResponse,
  type ExchangeRateListResponse,
  type PublishExchangeRatesDto,
  type PublishExchangeRatesQuery,
} from './exchange-rates.dto';
import {
  exchangeRatesVersion,
  findCurrentExchangeRate,
  listExchangeRates,
  lockExchangeRates,
  storeExchangeRates,
} from './exchange-rates.repository';

const CURSOR = 'exchange rates';
const DAY = /^\d{4}-\d{2}-\d{2}$/;

const rateView = ({ day, usdPerUnit }: ExchangeRate): ExchangeRateResponse => ({
  date: day,
  usd_per_unit: exactNumber(usdPerUnit),
});

@Injectable()
export class ExchangeRatesService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  async list({ limit, cursor }: PageQuery): Promise<ExchangeRateHistoryResponse> {
    const beforeDay = cursor === undefined ? null : decodeCursor(CURSOR, cursor).id;
    if (beforeDay !== null && !DAY.test(beforeDay)) throw new BadRequestException('cursor: is not valid');
    // Before the rates: a change between them makes the version an old one, never the rates.
    const version = await exchangeRatesVersion(this.database);
    const [current, found] = await Promise.all([
      findCurrentExchangeRate(this.database),
      listExchangeRates(this.database, beforeDay, limit + 1),
    ]);
    const rates = found.slice(0, limit);
    const last = rates.at(-1);
    return {
      current: current && rateView(current),
      rates: rates.map(rateView),
      version,
      next_cursor:
        last && found.length > limit
          ? encodeCursor(CURSOR, { at: `${last.day}T00:00:00.000000Z`, id: last.day })
          : null,
    };
  }

  /** Stores the USD value of one unit of the site's currency, each from its UTC day on. Throws 409 on a USD site, and for another version. */
  async store(
    admin: Actor,
    { rates }: PublishExchangeRatesDto,
    { version }: PublishExchangeRatesQuery,
  ): Promise<ExchangeRateListResponse> {
    if (this.site.currency === 'USD') {
      throw new ConflictException("this site's currency is USD, which needs no exchange rate");
    }
    return this.database.transaction(async (transaction) => {
      await lockExchangeRates(transaction);
      const current = await exchangeRatesVersion(transaction);
      if (version !== undefined && version !== current)
        throw new ConflictException(
          `version: ${current} was stored meanwhile; compare with it and try again`,
        );
      const stored = rates.map(({ date, usd_per_unit: rate }) => ({
        day: date,
        usdPerUnit: scaledToDecimal(rate, RATE_DIGITS),
      }));
      await storeExchangeRates(transaction, stored);
      await recordActorEvent(transaction, admin, 'admin.exchange_rates_published', { rows: rates.length });
      return { rates: stored.map(rateView), version: await exchangeRatesVersion(transaction) };
    });
  }
}
