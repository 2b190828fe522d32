import { figure } from '../measuring/report.mjs';
import { ConsoleClient } from './console-client.mjs';
import { explain } from './plan-explanations.mjs';
import { PlanLog } from './plan-log.mjs';
import { summarizePlans } from './statement-plans.mjs';

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
