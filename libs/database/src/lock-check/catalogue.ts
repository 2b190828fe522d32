import { type RangeVar } from 'libpg-query';

/** Runs a statement on the connection that migrates. */
export type Query = <Row>(
  statement: string,
  parameters?: unknown[],
  isStructured?: boolean,
) => Promise<Row[]>;

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

/** From one of these values on a table counts as large. */
export interface TableLimits {
  rows: number;
  bytes: number;
}

export interface LargeTable {
  oid: string;
  name: string;
  rows: number;
}

/**
 * Rows that fit into a page of 8 KiB, for tables that were never analysed. Chosen: rows of 80 bytes, which is narrow here, so
 * that the number of rows is rather overestimated.
 */
const ROWS_PER_PAGE = 100;

const FIND_LARGE_TABLES = `
  WITH RECURSIVE part (table_oid, oid) AS (
    SELECT c.oid, c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'm') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    UNION
    SELECT p.table_oid, i.inhrelid FROM part p JOIN pg_inherits i ON i.inhparent = p.oid
  ), size AS (
    SELECT oid, pg_table_size(oid) AS bytes,
      pages * CASE WHEN relpages > 0 AND reltuples >= 0 THEN reltuples / relpages ELSE ${ROWS_PER_PAGE} END AS rows
    FROM pg_class, LATERAL (SELECT pg_relation_size(oid) / current_setting('block_size')::integer AS pages)
    WHERE relkind IN ('r', 'm')
  )
  SELECT c.oid::text, c.oid::regclass::text AS name, round(sum(s.rows))::float8 AS rows
  FROM part p JOIN size s ON s.oid = p.oid JOIN pg_class c ON c.oid = p.table_oid
  GROUP BY c.oid HAVING sum(s.rows) >= $1 OR sum(s.bytes) >= $2`;

/** Returns the large tables of the database by their oid. The partitions of a table count together. */
export async function findLargeTables(query: Query, limits: TableLimits): Promise<Map<string, LargeTable>> {
  const tables = await query<LargeTable>(FIND_LARGE_TABLES, [limits.rows, limits.bytes]);
  return new Map(tables.map((table) => [table.oid, table]));
}
