import { Inject, Injectable } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type PriceUnit, UNIT_DIGITS, USAGE_LINES } from '@inference/metering';
import { exactNumber, picosToDecimal, scaledToDecimal } from '@inference/money';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type UsageQuery, type UsageRowView } from './usage.dto';

interface Row {
  bucket: Date;
  model: string;
  unit: PriceUnit;
  quantity: bigint;
  cost_picos: bigint;
}

const USAGE = `
  WITH ${USAGE_LINES}
  SELECT date_trunc($4, at, 'UTC') AS bucket, model, unit, sum(quantity) AS quantity, sum(cost_picos) AS cost_picos
  FROM usage_lines GROUP BY bucket, model, unit
  ORDER BY bucket, model COLLATE "C", unit COLLATE "C"`;

@Injectable()
export class UsageService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** The account's usage: one row per bucket, model and unit, sorted by these. */
  async read(accountId: string, { from, to, granularity }: UsageQuery): Promise<UsageRowView[]> {
    const { rows } = await this.pool.query<Row>(USAGE, [from, to, accountId, granularity]);
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
