import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { type PriceUnit, UNIT_DIGITS } from '@inference/metering';
import { exactNumber, picosToDecimal, scaledToDecimal } from '@inference/money';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { USAGE_BY_BUCKET } from './usage-buckets';
import { rangeOf } from './usage-range';
import { type UsageQuery, type UsageRowResponse } from './usage.dto';

interface Row {
  bucket: Date;
  model: string;
  unit: PriceUnit;
  quantity: bigint;
  cost_picos: bigint;
}

@Injectable()
export class UsageService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /**
   * The account's usage: one row per bucket, model and unit, sorted by these, so that a reader can go on from the timestamp of
   * the last row. Throws 400 for an impossible period.
   */
  async read(accountId: string, query: UsageQuery): Promise<UsageRowResponse[]> {
    const { from, to, starts, splitHours } = rangeOf(query);
    const values = [from, to, accountId, starts, splitHours];
    const { rows } = await this.database.query<Row>(USAGE_BY_BUCKET, values);
    return rows.map((row) => ({
      timestamp: row.bucket.toISOString(),
      model: row.model,
      quantity: exactNumber(scaledToDecimal(row.quantity, UNIT_DIGITS[row.unit])),
      unit: row.unit,
      cost: exactNumber(picosToDecimal(row.cost_picos)),
      currency: this.site.currency,
    }));
  }
}
