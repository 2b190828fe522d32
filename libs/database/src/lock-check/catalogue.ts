import { type RangeVar } from 'libpg-query';
import { type Query } from './query';

interface Plan {
  'Node Type': string;
  Operation?: string;
  'Parent Relationship'?: string;
  'Plan Rows': number;
  Plans?: Plan[];
}

/** What the database that is migrated says about its tables. */
export class Catalogue {
  constructor(private readonly query: Query) {}

  /** Returns the oid of a table, or of the table of an index; undefined if there is none of the name. */
  async findTable({ schemaname, relname }: RangeVar): Promise<string | undefined> {
    const name = [schemaname, relname].flatMap((part) => (part ? [`"${part.replaceAll('"', '""')}"`] : []));
    const [found] = await this.query<{ oid: string | null }>(
      `SELECT coalesce(i.indrelid, r.oid)::text AS oid
       FROM (SELECT to_regclass($1)::oid AS oid) r LEFT JOIN pg_index i ON i.indexrelid = r.oid`,
      [name.join('.')],
    );
    return found?.oid ?? undefined;
  }

  async isPartitioned(tableOid: string): Promise<boolean> {
    const found = await this.query(`SELECT FROM pg_partitioned_table WHERE partrelid = $1`, [tableOid]);
    return found.length > 0;
  }

  /** Whether one of the functions may return another value for each row. */
  async areVolatile(functions: string[]): Promise<boolean> {
    const found = await this.query(
      `SELECT FROM pg_proc WHERE proname = ANY ($1) AND provolatile = 'v' LIMIT 1`,
      [functions],
    );
    return found.length > 0;
  }

  /** Whether a validated constraint says that the column is not null, so that SET NOT NULL reads no rows. */
  async isProvedNotNull(tableOid: string, column: string): Promise<boolean> {
    const found = await this.query(
      `SELECT FROM pg_attribute a JOIN pg_constraint c ON c.conrelid = a.attrelid AND c.conkey = ARRAY[a.attnum]
       WHERE a.attrelid = $1 AND a.attname = $2 AND c.convalidated
         AND (c.contype = 'n' OR pg_get_constraintdef(c.oid) = format('CHECK ((%I IS NOT NULL))', a.attname))`,
      [tableOid, column],
    );
    return found.length > 0;
  }

  /** Whether an earlier statement of the transaction has locked the table against writes. */
  async isLockedAgainstWrites(tableOid: string): Promise<boolean> {
    const found = await this.query(
      `SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND relation = $1
         AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`,
      [tableOid],
    );
    return found.length > 0;
  }

  /** Returns how many rows a statement will update or delete, as the planner estimates. */
  async estimateChangedRows(statement: string, parameters?: unknown[]): Promise<number> {
    const [explained] = await this.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (FORMAT JSON) ${statement}`,
      parameters,
    );
    return Math.max(0, ...(explained?.['QUERY PLAN'].map(({ Plan }) => mostChangedRows(Plan)) ?? []));
  }
}

function mostChangedRows(plan: Plan): number {
  const parts = plan.Plans ?? [];
  const isChange = plan['Node Type'] === 'ModifyTable' && plan.Operation !== 'Insert';
  const changed = isChange
    ? parts.filter((part) => part['Parent Relationship'] === 'Outer').map((part) => part['Plan Rows'])
    : [];
  return Math.max(0, ...changed, ...parts.map(mostChangedRows));
}
