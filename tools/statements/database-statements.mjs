import { parsePlPgSQL } from 'libpg-query';
import { findAll } from './statement-scope.mjs';

/** @typedef {{ place: string, text: string }} DatabaseStatement `place`: `function` or `view`, and its name */

const FUNCTIONS = `
  SELECT p.oid::regproc::text AS name, l.lanname AS language, p.prosrc AS body, pg_get_functiondef(p.oid) AS definition
  FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
  WHERE p.pronamespace::regnamespace::text !~ '^(pg_|information_schema|public)|_jobs$' AND l.lanname IN ('sql', 'plpgsql')`;
const VIEWS = `
  SELECT c.oid::regclass::text AS name, pg_get_viewdef(c.oid) AS definition FROM pg_class c
  WHERE c.relkind = 'v' AND c.relnamespace::regnamespace::text !~ '^(pg_|information_schema|public)|_jobs$'`;
const IS_STATEMENT = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|MERGE)\b/i;
/** The parser takes arrays of types that it does not know for records, and refuses them where only values may be. */
const UNKNOWN_ARRAY = /\b[a-z_]+\.[a-z_]+\[\]/g;
const ASSIGNMENT = /^[\w.]+\s*:?=\s*/;

/** @param {import('pg').Client} client of a migrated database @returns {Promise<DatabaseStatement[]>} statements inside of the product's functions and views */
export async function readDatabaseStatements(client) {
  const { rows: functions } = await client.query(FUNCTIONS);
  const { rows: views } = await client.query(VIEWS);
  const statements = views.map(({ name, definition }) => ({ place: `view ${name}`, text: definition }));
  for (const { name, language, body, definition } of functions) {
    const texts = language === 'sql' ? [body] : await statementsOf(definition);
    for (const text of texts) statements.push({ place: `function ${name}`, text });
  }
  return statements;
}

/** @param {string} definition in PL/pgSQL @returns {Promise<string[]>} its statements; expressions as a `SELECT` */
async function statementsOf(definition) {
  const expressions = findAll(
    await parsePlPgSQL(definition.replace(UNKNOWN_ARRAY, 'text[]')),
    'PLpgSQL_expr',
  );
  return expressions.map(({ query }) =>
    IS_STATEMENT.test(query) ? query : `SELECT ${query.replace(ASSIGNMENT, '')}`,
  );
}
