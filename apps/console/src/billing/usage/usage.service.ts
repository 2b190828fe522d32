import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { Database, ReadDatabase } from '@inference/database';
import { UNIT_DIGITS } from '@inference/metering';
import { exactNumber, picosToDecimal, scaledToDecimal } from '@inference/money';
import { readWallet } from '@inference/wallet';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { storedApiKeyId } from '../../validation/call-filters.decorator';
import { rangeOf } from './usage-range';
import { type UsageQuery, type UsageRowResponse } from './usage.dto';
import { readUsage, type UsageReport } from './usage.repository';

@Injectable()
export class UsageService {
  constructor(
    private readonly database: Database,
    private readonly reads: ReadDatabase,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /**
   * The account's usage: one row per bucket, group and unit, sorted by these, so that a reader can go on from the timestamp of
   * the last row. Throws 400 for an impossible period.
   */
  async read(accountId: string, query: UsageQuery): Promise<UsageRowResponse[]> {
    const report: UsageReport = {
      accountId,
      range: rangeOf(query),
      dimensions: query.group_by,
      model: query.model ?? null,
      apiKeyId: storedApiKeyId(query.api_key_id) ?? null,
      entrypoint: query.entrypoint ?? null,
    };
    const rows = await this.reads.read((executor) => readUsage(executor, report));
    return rows.map(({ bucket, apiKey, unit, quantity, costPicos, ...dimensions }) => ({
      timestamp: bucket.toISOString(),
      ...dimensions,
      ...(apiKey !== undefined && { api_key: apiKey }),
      quantity: exactNumber(scaledToDecimal(quantity, UNIT_DIGITS[unit])),
      unit,
      cost: exactNumber(picosToDecimal(costPicos)),
      currency: this.site.currency,
    }));
  }

  /** What `read` returns, for an admin. Throws 404 for an unknown account. */
  async readOfAccount(accountId: string, query: UsageQuery): Promise<UsageRowResponse[]> {
    if (!(await readWallet(this.database, accountId))) throw new NotFoundException('no such account');
    return this.read(accountId, query);
  }
}
