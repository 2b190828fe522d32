import { Database, ReadDatabase } from '@inference/database';
import { archivedHourFault, granularityFault, timeBuckets, UNIT_DIGITS } from '@inference/metering';
import { exactNumber, picosToDecimal, scaledToDecimal } from '@inference/money';
import { instantText, startOfMonth } from '@inference/time';
import { readWallet } from '@inference/wallet';
import { BadRequestException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { storedApiKeyId } from '../../validation/call-filters.decorator';
import { type UsageQuery, type UsageRowResponse } from './usage.dto';
import { readUsage, type UsageRange, type UsageReport } from './usage.repository';

@Injectable()
export class UsageService {
  constructor(
    private readonly database: Database,
    private readonly reads: ReadDatabase,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /**
   * The account's usage: one row per bucket, group and unit, sorted by these, so that a reader can go on from the timestamp of
   * the last row. Throws 400 for an impossible period, and for one that parts an archived hour.
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
    const rows = await this.reads.read(async (executor) => {
      const usage = await readUsage(executor, report);
      const { from, to } = report.range;
      const archived = await archivedHourFault(executor, { from, to, buckets: report.range, accountId });
      if (archived !== null) throw new BadRequestException(archived);
      return usage;
    });
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

const MICROS_PER_MILLI = 1_000n;

/** Throws BadRequestException for an empty period, and for too many hours. */
function rangeOf({ from, to, granularity, time_zone: timeZone }: UsageQuery): UsageRange {
  const now = new Date();
  const start = from ?? startOfMonth(now, timeZone);
  if (start >= (to ?? BigInt(now.getTime()) * MICROS_PER_MILLI))
    throw new BadRequestException('from: must be before `to`');
  const fault = granularityFault(granularity, start, to ?? null);
  if (fault !== null) throw new BadRequestException(fault);
  return {
    from: instantText(start),
    to: to === undefined ? null : instantText(to),
    ...timeBuckets(granularity, timeZone, start, to ?? null),
  };
}
