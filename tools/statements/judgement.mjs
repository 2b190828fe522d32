import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadModule } from 'libpg-query';
import pg from 'pg';
import { readAccountTables } from './account-tables.mjs';
import { CROSSING_STATEMENTS } from './crossing-statements.mjs';
import { readDatabaseStatements } from './database-statements.mjs';
import { scopeOf } from './statement-scope.mjs';

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
