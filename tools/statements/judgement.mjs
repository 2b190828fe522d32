import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadModule, parsePlPgSQL } from 'libpg-query';
import pg from 'pg';
import { readAccountTables } from './account-tables.mjs';
import { CROSSING_STATEMENTS } from './crossing-statements.mjs';
import { findAll, scopeOf } from './statement-scope.mjs';

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

/**
 * @typedef {{ place: string, text: string, nulls?: number[] }} RecordedStatement see tools/test-runner/jest/statements.cjs
 *
 * @typedef {object} Judgement
 * @property {number} statements that use tables of accounts
 * @property {Map<string, Set<string>>} crossings the tables that statements cross, by their place
 * @property {string[]} faults crossings that docs/reference/statements-across-accounts.md does not list
 */

/** @param {string} logFolder of a test run @returns {RecordedStatement[]} */
function readRecordedStatements(logFolder) {
  const file = path.join(logFolder, 'statements');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  // Each process of Jest has recorded those that it ran.
  return [...new Set(lines)].map((line) => JSON.parse(line));
}

/**
 * @param {RecordedStatement[]} recorded
 * @param {pg.Client} client of a migrated database
 * @returns {Promise<Judgement>}
 */
async function judge(recorded, client) {
  await loadModule();
  const tables = await readAccountTables(client);
  /** @type {Map<string, Set<string>>} */
  const crossings = new Map();
  let statements = 0;
  /** @type {RecordedStatement[]} */
  const all = [...recorded, ...(await readDatabaseStatements(client))];
  for (const { place, text, nulls } of all) {
    const scope = await scopeOf(text, tables, nulls);
    if (scope.tables.length > 0) statements += 1;
    if (scope.crossed.length === 0) continue;
    crossings.set(place, new Set([...(crossings.get(place) ?? []), ...scope.crossed]));
  }
  const faults = [...crossings].flatMap(([place, crossed]) => {
    const listed = CROSSING_STATEMENTS.find((entry) => entry.place === place)?.tables ?? [];
    const missing = [...crossed].filter((table) => !listed.includes(table)).sort();
    return missing.length > 0 ? [`${place}: ${missing.join(', ')}`] : [];
  });
  return { statements, crossings, faults: faults.sort() };
}

const FIND_TEMPLATE = `
  SELECT datname FROM pg_database WHERE datistemplate AND datname LIKE 'template\\_%' ORDER BY oid DESC LIMIT 1`;

/**
 * Judges the statements of a test run and of the functions and views of its database.
 * @param {string} logFolder
 * @param {string} postgresUrl of the superuser
 * @returns {Promise<Judgement | null>} null if no test needed a database
 */
export async function judgeTestRun(logFolder, postgresUrl) {
  const recorded = readRecordedStatements(logFolder);
  const admin = new pg.Client({ connectionString: postgresUrl });
  await admin.connect();
  const { rows } = await admin.query(FIND_TEMPLATE);
  await admin.end();
  if (recorded.length === 0 || rows.length === 0) return null;
  const url = new URL(postgresUrl);
  url.pathname = `/${rows[0].datname}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await judge(recorded, client);
  } finally {
    await client.end();
  }
}
