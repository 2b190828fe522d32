/**
 * The tables whose rows belong to an account: those with an account id, and those whose foreign keys lead to one of these.
 *
 * @typedef {object} AccountTable
 * @property {Set<string>} columns
 * @property {Set<string>} accountColumns one of them tells the account
 * @property {string[][]} uniqueKeys the columns of each
 * @property {Set<string>} parentColumns foreign keys to other tables of accounts: rows with the same value belong to one account
 *
 * @typedef {Map<string, AccountTable>} AccountTables by schema and name
 */

/** The names of accounts in tables that have no column `account_id`. @type {Record<string, string[]>} */
const OTHER_ACCOUNT_COLUMNS = { 'accounts.accounts': ['id'], 'wallet.entries': ['ledger_account'] };
/** Foreign keys without a constraint, which each insertion would pay for. */
const UNCHECKED_KEYS = [{ name: 'agent.stream_events', parent: 'agent.turns', column: 'turn_id' }];
const ACCOUNT_COLUMN = 'account_id';
/** Says who did something, not to whom a row belongs. */
const ACTOR = /(_by|actor_id)$/;

const TABLES = `
  SELECT c.oid::regclass::text AS name, array_agg(a.attname::text) AS columns
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relnamespace::regnamespace::text !~ '^(pg_|information_schema|public)|_jobs$'
  GROUP BY c.oid`;
const UNIQUE_KEYS = `
  SELECT i.indrelid::regclass::text AS name, array_agg(a.attname::text) AS columns
  FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
  WHERE i.indisunique GROUP BY i.indexrelid, i.indrelid`;
const FOREIGN_KEYS = `
  SELECT DISTINCT f.conrelid::regclass::text AS name, f.confrelid::regclass::text AS parent, a.attname::text AS column
  FROM pg_constraint f JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = ANY (f.conkey) WHERE f.contype = 'f'`;

/** @param {import('pg').Client} client of a migrated database @returns {Promise<AccountTables>} */
export async function readAccountTables(client) {
  const { rows: tables } = await client.query(TABLES);
  const { rows: uniqueKeys } = await client.query(UNIQUE_KEYS);
  const { rows: foreignKeys } = await client.query(FOREIGN_KEYS);
  const parentKeys = [...foreignKeys, ...UNCHECKED_KEYS].filter(({ column }) => !ACTOR.test(column));
  const names = new Set(
    tables
      .filter(
        ({ name, columns }) => columns.includes(ACCOUNT_COLUMN) || Object.hasOwn(OTHER_ACCOUNT_COLUMNS, name),
      )
      .map(({ name }) => name),
  );
  for (let size = 0; size !== names.size;) {
    size = names.size;
    for (const { name, parent } of parentKeys) if (names.has(parent)) names.add(name);
  }
  return new Map(
    tables
      .filter(({ name }) => names.has(name))
      .map(({ name, columns }) => [
        name,
        {
          columns: new Set(columns),
          accountColumns: new Set(
            OTHER_ACCOUNT_COLUMNS[name] ??
              columns.filter((/** @type {string} */ column) => column === ACCOUNT_COLUMN),
          ),
          uniqueKeys: uniqueKeys.filter((key) => key.name === name).map((key) => key.columns),
          parentColumns: new Set(
            parentKeys
              .filter((key) => key.name === name && names.has(key.parent))
              .map(({ column }) => column),
          ),
        },
      ]),
  );
}
