import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { UNIT_DIGITS } from '@inference/metering';
import { exactNumber, picosToDecimal, scaledToDecimal } from '@inference/money';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { rangeOf } from './usage-range';
import { type UsageQuery, type UsageRowResponse } from './usage.dto';
import { readUsage } from './usage.repository';

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
    const rows = await readUsage(this.database, accountId, rangeOf(query));
    return rows.map((row) => ({
      timestamp: row.bucket.toISOString(),
      model: row.model,
      quantity: exactNumber(scaledToDecimal(row.quantity, UNIT_DIGITS[row.unit])),
      unit: row.unit,
      cost: exactNumber(picosToDecimal(row.costPicos)),
      currency: this.site.currency,
    }));
  }
}
