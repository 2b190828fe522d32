import { Injectable } from '@nestjs/common';
import { type Caller, type Role } from '@inference/guards';
import { Database } from '@inference/database';
import { USAGE_LINES } from '@inference/metering';
import { type InstantMicros, instantText } from '@inference/time';
import { type Continuation, type CostPosition, decodeCursor, encodeCursor } from './cost.cursor';
import { type CostRange, rangeOf } from './cost-range';
import { type CostQuery } from './cost.dto';
import { type Dimension } from './group-by-field.decorator';

/** The cost of one group; `keys` has a value for each dimension of the query, in its order. */
export interface CostGroup {
  keys: string[];
  costUsdPicos: bigint;
  tokens: bigint;
}

export interface CostPage {
  groups: CostGroup[];
  nextCursor: string | null;
}

interface Row {
  keys: string[];
  cost_usd_picos: bigint;
  tokens: bigint;
  as_of_micros: bigint;
}

const ROLES_THAT_SEE_ALL: readonly Role[] = ['admin', 'analyst'];
const DEFAULT_LIMIT = 50;
const COLUMNS: Record<Dimension, string> = { user: 'account_id', model: 'model', entrypoint: 'entrypoint' };

/** `$4`, `$5`: position after which the page starts, or null. `$6`: number of groups, or null for all. */
function reportSql(dimensions: readonly Dimension[]): string {
  const columns = dimensions.map((dimension) => COLUMNS[dimension]).join(', ');
  return `
    WITH ${USAGE_LINES},
    groups AS (
      SELECT ARRAY[${columns}]::text[] COLLATE "C" AS keys,
        coalesce(sum(cost_usd_picos), 0) AS cost_usd_picos, coalesce(sum(tokens), 0) AS tokens
      FROM usage_lines GROUP BY ${columns || '()'}
    )
    SELECT keys, cost_usd_picos, tokens, (extract(epoch FROM now()) * 1000000)::bigint AS as_of_micros FROM groups
    WHERE $4::numeric IS NULL OR cost_usd_picos < $4 OR (cost_usd_picos = $4 AND keys > $5::text[])
    ORDER BY cost_usd_picos DESC, keys LIMIT $6`;
}

/** The cost report (spec: Router service). A caller sees its own cost; admins and analysts see the cost of all accounts. */
@Injectable()
export class CostService {
  constructor(private readonly database: Database) {}

  /** One page of the report, highest cost first. Throws BadRequestException for an impossible range or a bad cursor. */
  async readPage(caller: Caller, query: CostQuery): Promise<CostPage> {
    const scope = scopeOf(caller);
    const limit = query.limit ?? DEFAULT_LIMIT;
    const continued = query.cursor === undefined ? undefined : decodeCursor(scope, query, query.cursor);
    const range = continued?.range ?? rangeOf(query);
    const rows = await this.read(range, scope, query.group_by, continued?.position, limit + 1);
    const groups = rows.slice(0, limit).map(toGroup);
    const last = groups.at(-1);
    if (rows.length <= limit || !last) return { groups, nextCursor: null };
    const to: InstantMicros = range.to ?? rows[0]!.as_of_micros;
    const next: Continuation = { range: { from: range.from, to }, position: last };
    return { groups, nextCursor: encodeCursor(scope, query, next) };
  }

  /** Returns all groups of the report. Throws BadRequestException for an empty range. */
  async readAll(caller: Caller, query: CostQuery): Promise<CostGroup[]> {
    const rows = await this.read(rangeOf(query), scopeOf(caller), query.group_by, undefined, null);
    return rows.map(toGroup);
  }

  private async read(
    range: CostRange,
    scope: string | null,
    dimensions: readonly Dimension[],
    after: CostPosition | undefined,
    limit: number | null,
  ): Promise<Row[]> {
    const { rows } = await this.database.query<Row>(reportSql(dimensions), [
      instantText(range.from),
      range.to === null ? null : instantText(range.to),
      scope,
      after?.costUsdPicos ?? null,
      after?.keys ?? null,
      limit,
    ]);
    return rows;
  }
}

/** The only account that a caller may see, or null for all. */
function scopeOf({ role, accountId }: Caller): string | null {
  return ROLES_THAT_SEE_ALL.includes(role) ? null : accountId;
}

function toGroup({ keys, cost_usd_picos: costUsdPicos, tokens }: Row): CostGroup {
  return { keys, costUsdPicos, tokens };
}
