import { ReadDatabase } from '@inference/database';
import { type Caller } from '@inference/guards';
import { archivedHourFault, granularityFault, timeBuckets } from '@inference/metering';
import { type InstantMicros, instantText } from '@inference/time';
import { BadRequestException, Injectable } from '@nestjs/common';
import {
  type CostGroup,
  type CostPosition,
  type CostReport,
  type ReadCostGroup,
  readCostGroups,
} from './cost.repository';
import {
  type Continuation,
  type CostRange,
  type CostScope,
  decodeCursor,
  encodeCursor,
  rangeOf,
  scopeOf,
} from './cost.cursor';
import { type CostQuery, groupKeysOf } from './cost.dto';

export interface CostPage {
  groups: CostGroup[];
  nextCursor: string | null;
}

const DEFAULT_LIMIT = 50;
/** Of a report that comes at once. Chosen: they take some 150 MB of memory. */
const MOST_GROUPS = 250_000;

/** The cost report (spec: Router service). See scopeOf for what a caller sees. */
@Injectable()
export class CostService {
  constructor(private readonly database: ReadDatabase) {}

  /** One page of the report, highest cost first. Throws BadRequestException for an impossible range or a bad cursor. */
  async readPage(caller: Caller, query: CostQuery): Promise<CostPage> {
    const scope = scopeOf(caller, query);
    const limit = query.limit ?? DEFAULT_LIMIT;
    const continued = query.cursor === undefined ? undefined : decodeCursor(scope, query, query.cursor);
    const range = continued?.range ?? rangeOf(query);
    const rows = await this.read(range, scope, query, continued?.position, limit + 1);
    const groups = rows.slice(0, limit);
    const last = groups.at(-1);
    if (rows.length <= limit || !last) return { groups, nextCursor: null };
    const to: InstantMicros = range.to ?? rows[0]!.asOfMicros;
    const next: Continuation = { range: { from: range.from, to }, position: last };
    return { groups, nextCursor: encodeCursor(scope, query, next) };
  }

  /** Returns all groups of the report. Throws BadRequestException for an empty range, and for too many groups. */
  async readAll(caller: Caller, query: CostQuery): Promise<CostGroup[]> {
    const groups = await this.read(rangeOf(query), scopeOf(caller, query), query, undefined, MOST_GROUPS + 1);
    if (groups.length > MOST_GROUPS)
      throw new BadRequestException(
        `the report has more than ${MOST_GROUPS} lines: ask for a shorter period or fewer groups, or for JSON, which has pages`,
      );
    return groups;
  }

  private async read(
    range: CostRange,
    scope: CostScope,
    query: CostQuery,
    after: CostPosition | undefined,
    limit: number,
  ): Promise<ReadCostGroup[]> {
    const { granularity, time_zone: timeZone } = query;
    const fault = granularityFault(granularity, range.from, range.to);
    if (fault !== null) throw new BadRequestException(fault);
    const report: CostReport = {
      from: instantText(range.from),
      to: range.to === null ? null : instantText(range.to),
      ...scope,
      names: groupKeysOf(query),
      buckets: granularity === undefined ? null : timeBuckets(granularity, timeZone, range.from, range.to),
      after: after ?? null,
      limit,
    };
    return this.database.read(async (executor) => {
      const groups = await readCostGroups(executor, report);
      const archived = await archivedHourFault(executor, report);
      if (archived !== null) throw new BadRequestException(archived);
      return groups;
    });
  }
}
