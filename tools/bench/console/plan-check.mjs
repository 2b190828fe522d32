import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import pg from 'pg';
import { figure } from '../measuring/report.mjs';
import { ConsoleClient } from './console-client.mjs';
import { readPlans, summarizePlans } from './statement-plans.mjs';

/**
 * Logs the plan of every statement of a database role, with the rows that it really read: statements inside of functions
 * included, timing of the nodes excluded. It takes effect on new connections.
 */
const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_verbose': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_parameter_max_length': '0',
};
const MARK_DEADLINE_MS = 10_000;

/** The plans that PostgreSQL logs for a role. */
class PlanLog {
  #client;
  #logFile;
  #role;

  /** @param {{ url: string, logFile: string, role: string }} server `url` of the superuser */
  constructor({ url, logFile, role }) {
    this.#client = new pg.Client({ connectionString: url });
    this.#logFile = logFile;
    this.#role = role;
  }

  async open() {
    await this.#client.connect();
    for (const [name, value] of Object.entries(SETTINGS))
      await this.#client.query(`ALTER ROLE ${this.#role} SET ${name} = '${value}'`);
  }

  async close() {
    for (const name of Object.keys(SETTINGS))
      await this.#client.query(`ALTER ROLE ${this.#role} RESET ${name}`);
    await this.#client.end();
  }

  /** @param {() => Promise<unknown>} work @returns {Promise<import('./statement-plans.mjs').LoggedPlan[]>} plans of its statements */
  async during(work) {
    const from = await this.#mark();
    await work();
    const to = await this.#mark();
    return readPlans(fs.readFileSync(this.#logFile).subarray(from, to).toString());
  }

  /** Writes a line to the log. @returns {Promise<number>} its position in bytes */
  async #mark() {
    const mark = `mark ${randomBytes(16).toString('hex')}`;
    await this.#client.query(`DO $$ BEGIN RAISE LOG '${mark}'; END $$`);
    for (const deadline = Date.now() + MARK_DEADLINE_MS; ;) {
      const position = fs.readFileSync(this.#logFile).lastIndexOf(`LOG:  ${mark}`);
      if (position >= 0) return position;
      if (Date.now() > deadline) throw new Error('PostgreSQL does not write its log.');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/**
 * Why statements read many more rows than they return. One that does so and is not among them fails the benchmark.
 * @type {[beginning: string, why: string][]}
 */
const REASONS_FOR_MANY_ROWS = [
  [
    'WITH whole AS',
    'adds up the months, days and hours of the account in the range, by an index of the account',
  ],
];

/** @param {StatementSummary} summary @returns {string} why its plan is right, empty if there is no reason */
function explain({ text, isIndexOnly, readsMore, rowsRead, sequential, indexes }) {
  if (isIndexOnly) return 'index only';
  if (readsMore) return REASONS_FOR_MANY_ROWS.find(([beginning]) => text.startsWith(beginning))?.[1] ?? '';
  if (rowsRead === 0) return 'finds no rows';
  return [
    ...(indexes.length > 0
      ? ['takes the rows that an index names from their table, because it shows or changes them']
      : []),
    ...(sequential.length > 0 ? ['reads tables of few rows as a whole'] : []),
  ].join('; ');
}

/**
 * @import { Build, Contender } from './contenders.mjs'
 * @import { StatementSummary } from './statement-plans.mjs'
 */

/** PostgreSQL may replace the plan of a prepared statement from its sixth execution on. */
const PLANNED_EXECUTIONS = 8;
const SHOWN_CHARS = 90;
/** Of jobs that run meanwhile: the alerts of low balances, which read all wallets. */
const JOB_STATEMENTS = ['WITH low AS', 'WITH sufficient AS'];

/** @param {StatementSummary} summary @returns {string} three lines */
function describeStatement(summary) {
  const { text, executions, indexes, sequential, rowsRead, rowsReturned } = summary;
  const used = [...indexes, ...sequential.map((table) => `${table} without an index`)].join(', ');
  const shown = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
  const perRequest = figure(executions / PLANNED_EXECUTIONS, 1);
  return `    ${shown}
      ${perRequest} a request; reads ${rowsRead} rows, returns ${rowsReturned}; by ${used || 'nothing'}
      ${explain(summary) || 'NOT EXPLAINED'}`;
}

/**
 * Prints and checks the plans of the statements of each request.
 * @param {Contender} contender
 * @param {PlanLog} planLog
 * @param {Map<string, number>} tableRows
 * @returns {Promise<string[]>} faults
 */
async function checkPlans(contender, planLog, tableRows) {
  /** @type {string[]} */
  const faults = [];
  console.log(`\nPlans of ${contender.label}`);
  const client = new ConsoleClient(contender.url);
  for (const request of contender.requests) {
    const plans = await planLog.during(async () => {
      for (let n = 0; n < PLANNED_EXECUTIONS; n += 1) {
        const { status, text } = await contender.send(client, request);
        if (status !== 200) throw new Error(`${request.name}: ${status} ${text}`);
      }
    });
    const isOfJob = (/** @type {StatementSummary} */ { text }) =>
      JOB_STATEMENTS.some((start) => text.startsWith(start));
    const summaries = summarizePlans(plans, tableRows).filter((summary) => !isOfJob(summary));
    const title = `${request.name}, ${request.by}`;
    if (summaries.length === 0) faults.push(`${title}: PostgreSQL has logged no plan`);
    console.log(`\n  ${title}`);
    for (const summary of summaries) {
      console.log(describeStatement(summary));
      const unexplained =
        explain(summary) === ''
          ? [`reads many rows without a reason: ${summary.text.slice(0, SHOWN_CHARS)}`]
          : [];
      faults.push(...[...summary.faults, ...unexplained].map((fault) => `${title}: ${fault}`));
    }
  }
  await client.close();
  return [...new Set(faults)];
}

/**
 * Starts each build while PostgreSQL logs its plans.
 * @param {(build: Build) => Promise<Contender>} startBuild
 * @param {Build[]} builds
 * @param {ConstructorParameters<typeof PlanLog>[0]} server
 * @param {Map<string, number>} tableRows by schema and name
 * @returns {Promise<string[]>} faults of the first build. The plans of another one are for comparison only
 */
export async function checkPlansOf(startBuild, builds, server, tableRows) {
  const planLog = new PlanLog(server);
  await planLog.open();
  try {
    const faults = [];
    for (const build of builds) {
      const contender = await startBuild(build);
      faults.push(await checkPlans(contender, planLog, tableRows));
      await contender.stop();
    }
    return faults[0] ?? [];
  } finally {
    await planLog.close();
  }
}
