import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import pg from 'pg';
import { readPlans } from './statement-plans.mjs';

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
export class PlanLog {
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
