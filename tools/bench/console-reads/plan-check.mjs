import { figure } from '../measuring/report.mjs';
import { startContender } from './contenders.mjs';
import { PlanLog } from './plan-log.mjs';
import { summarizePlans } from './statement-plans.mjs';

/**
 * @import { Build, Contender, Start } from './contenders.mjs'
 * @import { ReadRequest } from './read-requests.mjs'
 * @import { StatementSummary } from './statement-plans.mjs'
 */

/** PostgreSQL may replace the plan of a prepared statement from its sixth execution on. */
const PLANNED_EXECUTIONS = 8;
const SHOWN_CHARS = 90;

/** @param {StatementSummary} summary @returns {string} two lines */
function describeStatement({ text, executions, indexes, sequential, rowsRead, rowsReturned }) {
  const used = [...indexes, ...sequential.map((table) => `${table} without an index`)].join(', ');
  const shown = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
  const perRequest = figure(executions / PLANNED_EXECUTIONS, 1);
  return `    ${shown}\n      ${perRequest} a request; reads ${rowsRead} rows, returns ${rowsReturned}; by ${used || 'nothing'}`;
}

/**
 * Prints and checks the plans of the statements of each request.
 * @param {Contender} contender
 * @param {PlanLog} planLog
 * @param {Map<string, number>} tableRows
 * @returns {Promise<string[]>} faults
 */
async function checkPlans({ label, client, requests }, planLog, tableRows) {
  /** @type {string[]} */
  const faults = [];
  console.log(`\nPlans of ${label}`);
  for (const { name, path } of requests) {
    const plans = await planLog.during(async () => {
      for (let n = 0; n < PLANNED_EXECUTIONS; n += 1) await client.getJson(path);
    });
    const summaries = summarizePlans(plans, tableRows);
    if (summaries.length === 0) faults.push(`${name}: PostgreSQL has logged no plan`);
    console.log(`\n  ${name}`);
    for (const summary of summaries) console.log(describeStatement(summary));
    faults.push(...summaries.flatMap((summary) => summary.faults.map((fault) => `${name}: ${fault}`)));
  }
  return [...new Set(faults)];
}

/**
 * Starts the console of each build while PostgreSQL logs its plans.
 * @param {Start} start
 * @param {Build[]} builds
 * @param {ConstructorParameters<typeof PlanLog>[0]} server
 * @param {Map<string, number>} tableRows by schema and name
 * @returns {Promise<{ requests: ReadRequest[], faults: string[] }[]>} of each build
 */
export async function checkPlansOf(start, builds, server, tableRows) {
  const planLog = new PlanLog(server);
  await planLog.open();
  try {
    const results = [];
    for (const build of builds) {
      const contender = await startContender(start, build);
      const faults = await checkPlans(contender, planLog, tableRows);
      await contender.stop();
      results.push({ requests: contender.requests, faults });
    }
    return results;
  } finally {
    await planLog.close();
  }
}
