import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type PriceUnit, UNIT_DIGITS } from '@inference/metering';
import { exactNumber, picosToDecimal, scaledToDecimal } from '@inference/money';
import { TIME_ZONE_FORM } from '@inference/time';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { BUCKETS_OF_SPLIT_HOURS, BUCKETS_OF_WHOLE_HOURS } from './usage-buckets';
import { rangeOf, type UsageRange } from './usage-range';
import { type UsageQuery, type UsageRowResponse } from './usage.dto';

interface Row {
  bucket: Date;
  model: string;
  unit: PriceUnit;
  quantity: bigint;
  cost_picos: bigint;
}

/** SQLSTATE of a time zone that PostgreSQL does not know; it may be older than the one of Node.js. */
const INVALID_PARAMETER = '22023';

@Injectable()
export class UsageService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /**
   * The account's usage: one row per bucket, model and unit, sorted by these, so that a reader can go on from the timestamp of
   * the last row. Throws 400 for an impossible period and for a time zone that the database does not know.
   */
  async read(accountId: string, query: UsageQuery): Promise<UsageRowResponse[]> {
    const rows = await this.query(accountId, rangeOf(query));
    return rows.map((row) => ({
      timestamp: row.bucket.toISOString(),
      model: row.model,
      quantity: exactNumber(scaledToDecimal(row.quantity, UNIT_DIGITS[row.unit])),
      unit: row.unit,
      cost: exactNumber(picosToDecimal(row.cost_picos)),
      currency: this.site.currency,
    }));
  }

  private async query(accountId: string, range: UsageRange): Promise<Row[]> {
    const { from, to, granularity, timeZone, splitsHours } = range;
    const sql = splitsHours ? BUCKETS_OF_SPLIT_HOURS : BUCKETS_OF_WHOLE_HOURS;
    try {
      const { rows } = await this.pool.query<Row>(sql, [from, to, accountId, granularity, timeZone]);
      return rows;
    } catch (error) {
      if ((error as { code?: unknown }).code !== INVALID_PARAMETER) throw error;
      throw new BadRequestException(`time_zone: ${TIME_ZONE_FORM}`);
    }
  }
}
