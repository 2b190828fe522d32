import { type TestPool } from '@inference/testing';

const IN_PRODUCT = `relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema|public)|_jobs$')`;

const CATALOGUE = `
  WITH tables AS (
    SELECT oid, oid::regclass::text AS name FROM pg_class c
    WHERE relkind IN ('r', 'p') AND NOT relispartition AND ${IN_PRODUCT}
  )
  SELECT t.name || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || CASE WHEN a.attcollation <> ty.typcollation THEN ' COLLATE ' || a.attcollation::regcollation ELSE '' END
    || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
    || CASE WHEN a.attidentity <> '' THEN ' IDENTITY ' || a.attidentity::text ELSE '' END
    || coalesce(CASE a.attgenerated WHEN 's' THEN ' GENERATED ' ELSE ' DEFAULT ' END
      || regexp_replace(regexp_replace(pg_get_expr(d.adbin, d.adrelid), '\\s+', ' ', 'g'), '^''(\\d+)''::\\w+$', '\\1'), '') AS line
  FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type ty ON ty.oid = a.atttypid
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  UNION ALL
  SELECT t.name || ' ' || c.conname || ' ' || pg_get_constraintdef(c.oid)
  FROM tables t JOIN pg_constraint c ON c.conrelid = t.oid WHERE c.contype IN ('p', 'u', 'f', 'c', 'x')
  UNION ALL
  SELECT regexp_replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
  FROM tables t JOIN pg_index i ON i.indrelid = t.oid
  WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)
  ORDER BY line`;

/** One line for each column, constraint and index of the product's tables. */
export async function readCatalogue(pool: TestPool): Promise<string[]> {
  return (await pool.query<{ line: string }>(CATALOGUE)).rows.map(({ line }) => line);
}

const OBJECTS = {
  schemas: `SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema|public)|_jobs$'`,
  functions: `SELECT oid::regprocedure::text AS name FROM pg_proc
    WHERE pronamespace IN (SELECT oid FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema|public)|_jobs$')`,
  triggers: `SELECT tgrelid::regclass || ' ' || tgname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT tgisinternal AND NOT relispartition AND ${IN_PRODUCT}`,
  partitionedTables: `SELECT oid::regclass || ' ' || pg_get_partkeydef(oid) AS name FROM pg_class c
    WHERE relkind = 'p' AND ${IN_PRODUCT}`,
};

/** Names of the schemas, functions, triggers and partitioned tables of the product. */
export async function readObjects(pool: TestPool): Promise<Record<keyof typeof OBJECTS, string[]>> {
  const read = async (text: string) =>
    (await pool.query<{ name: string }>(`${text} ORDER BY name`)).rows.map(({ name }) => name);
  const entries = Object.entries(OBJECTS).map(async ([kind, text]) => [kind, await read(text)] as const);
  return Object.fromEntries(await Promise.all(entries)) as Record<keyof typeof OBJECTS, string[]>;
}

/** `$1`: the roles. Column privileges are those that no privilege of the whole table gives. */
const GRANTS = `
  WITH granted AS (
    SELECT grantee, table_schema || '.' || table_name AS name,
      string_agg(lower(privilege_type), ' ' ORDER BY privilege_type) AS privileges
    FROM information_schema.role_table_grants
    WHERE grantee = ANY ($1) AND table_schema !~ '_jobs$' GROUP BY grantee, table_schema, table_name
    UNION ALL
    SELECT grantee, table_schema || '.' || table_name || ' (' || string_agg(column_name, ', ' ORDER BY column_name) || ')',
      lower(privilege_type)
    FROM information_schema.column_privileges c
    WHERE grantee = ANY ($1) AND NOT EXISTS (
      SELECT FROM information_schema.role_table_grants t
      WHERE (t.grantee, t.table_schema, t.table_name, t.privilege_type)
        = (c.grantee, c.table_schema, c.table_name, c.privilege_type))
    GROUP BY grantee, table_schema, table_name, privilege_type
  )
  SELECT grantee, privileges, array_agg(name ORDER BY name) AS tables FROM granted GROUP BY grantee, privileges`;

type Grants = Record<string, Record<string, string[]>>;

/** Tables by role and privileges, such as `select update`; `table (column, …)` where a privilege is limited to columns. */
export async function readGrants(pool: TestPool, roles: string[]): Promise<Grants> {
  const grants: Grants = {};
  const { rows } = await pool.query<{ grantee: string; privileges: string; tables: string[] }>(GRANTS, [
    roles,
  ]);
  for (const { grantee, privileges, tables } of rows)
    grants[grantee] = { ...grants[grantee], [privileges]: tables };
  return grants;
}
