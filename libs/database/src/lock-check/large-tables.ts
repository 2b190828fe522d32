import { type Query } from './query';

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
