import { Database, ReadDatabase } from '@inference/database';
import { type LongList, longListOf } from '@inference/http';
import {
  archivedHourFault,
  granularityFault,
  type PeriodQuery,
  quantityIn,
  timeBuckets,
} from '@inference/metering';
import { exactNumber, picosToDecimal } from '@inference/money';
import { type InstantMicros, instantText, startOfMonth } from '@inference/time';
import { readWallet } from '@inference/wallet';
import { BadRequestException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { storedApiKeyId } from '../../validation/call-filters.decorator';
import { countCalls } from './call-counts.repository';
import {
  type CallCountsQuery,
  type CallCountsResponse,
  type UsageQuery,
  type UsageRowResponse,
} from './usage.dto';
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
   * the last row. Throws 400 for an impossible period, for one that parts an archived hour, and for too many rows.
   */
  async read(accountId: string, query: UsageQuery): Promise<LongList<UsageRowResponse>> {
    const report: UsageReport = {
      accountId,
      range: rangeOf(query),
      dimensions: query.group_by,
      model: query.model ?? null,
      apiKeyId: storedApiKeyId(query.api_key_id) ?? null,
      entrypoint: query.entrypoint ?? null,
    };
    const rows = await this.reads.read(async (executor) => {
      const usage = await readUsage(executor, report, MOST_ROWS + 1);
      const { from, to } = report.range;
      const archived = await archivedHourFault(executor, { from, to, buckets: report.range, accountId });
      if (archived !== null) throw new BadRequestException(archived);
      return usage;
    });
    if (rows.length > MOST_ROWS)
      throw new BadRequestException(
        `the usage has more than ${MOST_ROWS} rows: ask for a shorter period, larger steps or fewer groups`,
      );
    const { currency } = this.site;
    return longListOf(rows, ({ bucket, apiKey, unit, quantity, costPicos, ...dimensions }) => ({
      timestamp: bucket.toISOString(),
      ...dimensions,
      ...(apiKey !== undefined && { api_key: apiKey }),
      quantity: exactNumber(quantityIn(unit, quantity)),
      unit,
      cost: exactNumber(picosToDecimal(costPicos)),
      currency,
    }));
  }

  /** How many calls the account made in a period. Throws 400 for an empty one. */
  async countCalls(accountId: string, query: CallCountsQuery): Promise<CallCountsResponse> {
    const question = {
      accountId,
      ...periodOf(query),
      model: query.model ?? null,
      apiKeyId: storedApiKeyId(query.api_key_id) ?? null,
      entrypoint: query.entrypoint ?? null,
    };
    const counts = await this.reads.read((executor) => countCalls(executor, question));
    const today = Date.now() - (Date.now() % DAY_MILLIS);
    return { ...counts, unserved_since: new Date(today - UNSERVED_DAYS * DAY_MILLIS).toISOString() };
  }

  /** What `read` returns, for an admin. Throws 404 for an unknown account. */
  async readOfAccount(accountId: string, query: UsageQuery): Promise<LongList<UsageRowResponse>> {
    if (!(await readWallet(this.database, accountId))) throw new NotFoundException('no such account');
    return this.read(accountId, query);
  }
}

/** Of one answer. Chosen: the hours of a year of eleven models with two units; they take some 120 MB of memory. */
const MOST_ROWS = 200_000;
const MICROS_PER_MILLI = 1_000n;
const DAY_MILLIS = 24 * 60 * 60_000;
/** Whole days of UTC before today for which refused and failed calls are kept, as in `metering.ensure_unserved_call_days`. */
const UNSERVED_DAYS = 30;

/** Throws BadRequestException for an empty period. */
function boundsOf({ from, to, time_zone: timeZone }: PeriodQuery): {
  start: InstantMicros;
  end: InstantMicros | null;
} {
  const now = new Date();
  const start = from ?? startOfMonth(now, timeZone);
  if (start >= (to ?? BigInt(now.getTime()) * MICROS_PER_MILLI))
    throw new BadRequestException('from: must be before `to`');
  return { start, end: to ?? null };
}

const periodOf = (query: PeriodQuery) => {
  const { start, end } = boundsOf(query);
  return { from: instantText(start), to: end === null ? null : instantText(end) };
};

/** Throws BadRequestException for an empty period, and for too many hours. */
function rangeOf(query: UsageQuery): UsageRange {
  const { granularity, time_zone: timeZone } = query;
  const { start, end } = boundsOf(query);
  const fault = granularityFault(granularity, start, end);
  if (fault !== null) throw new BadRequestException(fault);
  return { ...periodOf(query), ...timeBuckets(granularity, timeZone, start, end) };
}
