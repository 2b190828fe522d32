import { processorTimeMs } from '../measuring/process-usage.mjs';
import { figure, median, percentile, printRows, printVerdicts } from '../measuring/report.mjs';
import { startConsole } from '../setup/console.mjs';
import { createDatabase, roleUrl } from '../setup/database.mjs';
import { root } from '../setup/workbench.mjs';
import { fillDatabase } from './filled-database.mjs';
import { PlanLog } from './plan-log.mjs';
import { ConsoleClient, readRequests } from './read-requests.mjs';
import { summarizePlans } from './statement-plans.mjs';

const DATABASE = 'console_reads_bench';
/** PostgreSQL may replace the plan of a prepared statement from its sixth execution on. */
const PLANNED_EXECUTIONS = 8;
const SHOWN_CHARS = 90;
/** Allowed difference between two builds. */
const TOLERANCE = 0.1;

/**
 * @import { Workbench } from '../setup/workbench.mjs'
 * @import { ReadRequest } from './read-requests.mjs'
 * @import { StatementSummary } from './statement-plans.mjs'
 *
 * @typedef {{ label: string, folder: string }} Build
 * @typedef {Build & { client: ConsoleClient, pid: number, requests: ReadRequest[], stop: () => Promise<void> }} Contender
 *
 * @typedef {object} Measurement
 * @property {number} perSecond requests over one connection
 * @property {number} p50Ms
 * @property {number} p95Ms
 * @property {number} cpuMs processor time of the console's process per request; NaN if it cannot be read
 *
 * @typedef {(build: Build) => ReturnType<typeof startConsole>} Start
 */

/**
 * @param {Start} start
 * @param {Build} build
 * @param {ReadRequest[]} [requests] of the same build; by default it is asked for the cursors
 * @returns {Promise<Contender>} signed in; the account must be filled
 */
async function startContender(start, build, requests) {
  const { url, pid, stop } = await start(build);
  const client = new ConsoleClient(url);
  await client.signIn();
  const close = () => client.close().then(stop);
  return { ...build, client, pid, requests: requests ?? (await readRequests(client)), stop: close };
}

/** @param {Start} start @param {Build} build @returns {Promise<string>} the id of a new account */
async function registerAccount(start, build) {
  const { url, stop } = await start(build);
  const client = new ConsoleClient(url);
  const accountId = await client.register();
  await client.close();
  await stop();
  return accountId;
}

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

/** @param {string} text of a response @returns {string} without its cursor, which builds may write differently */
const comparable = (text) => text.replace(/"next_cursor":"[^"]*"/, '"next_cursor":"…"');

/** @param {Contender[]} contenders @param {number} index of the request @returns {Promise<string[]>} faults */
async function compareResponses(contenders, index) {
  const [first, ...others] = await Promise.all(
    contenders.map(async ({ client, requests }) =>
      comparable((await client.get(requests[index]?.path ?? '')).text),
    ),
  );
  return others.every((text) => text === first)
    ? []
    : [`${contenders[0]?.requests[index]?.name}: the builds give different responses`];
}

/**
 * Sends one request to the builds in turn, so that other work of the machine affects all of them alike. Every second time the
 * other build begins, so that none of them always follows the other one.
 * @param {Contender[]} contenders
 * @param {number} index of the request
 * @param {{ seconds: number, signal: AbortSignal }} options `seconds` of each build
 * @returns {Promise<{ measured: Map<Contender, Measurement>, faults: string[] }>}
 */
async function measureRound(contenders, index, { seconds, signal }) {
  const runs = contenders.map((contender) => ({
    contender,
    path: contender.requests[index]?.path ?? '',
    cpuBefore: processorTimeMs(contender.pid),
    latenciesMs: /** @type {number[]} */ ([]),
  }));
  /** @type {Set<string>} */
  const faults = new Set();
  const endsAt = performance.now() + seconds * runs.length * 1000;
  for (let turn = 0; faults.size === 0 && (turn === 0 || performance.now() < endsAt); turn += 1) {
    for (const { contender, path, latenciesMs } of turn % 2 ? runs.toReversed() : runs) {
      signal.throwIfAborted();
      const sentAt = performance.now();
      const { status, text } = await contender.client.get(path);
      latenciesMs.push(performance.now() - sentAt);
      if (status !== 200) faults.add(`${contender.label}, ${path}: ${status} ${text.slice(0, SHOWN_CHARS)}`);
    }
  }
  return { measured: new Map(runs.map((run) => [run.contender, measurementOf(run)])), faults: [...faults] };
}

/** @param {{ contender: Contender, cpuBefore: number, latenciesMs: number[] }} run @returns {Measurement} */
function measurementOf({ contender, cpuBefore, latenciesMs }) {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  return {
    perSecond: (sorted.length * 1000) / sorted.reduce((sum, latencyMs) => sum + latencyMs, 0),
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    cpuMs: (processorTimeMs(contender.pid) - cpuBefore) / sorted.length,
  };
}

/** @typedef {Map<Contender, Measurement>[]} Rounds */

/** @param {Contender | undefined} contender @param {Rounds} rounds @param {keyof Measurement} field */
const valuesOf = (contender, rounds, field) =>
  rounds.map((round) => (contender && round.get(contender)?.[field]) ?? NaN);

/** @param {Contender[]} contenders @param {Rounds} rounds @param {keyof Measurement} field @returns {number} (a) / (b) */
function ratioOf([own, other], rounds, field) {
  const others = valuesOf(other, rounds, field);
  return median(valuesOf(own, rounds, field).map((value, round) => value / (others[round] ?? NaN)));
}

/** @type {[field: keyof Measurement, digits: number][]} */
const COLUMNS = [
  ['perSecond', 0],
  ['p50Ms', 2],
  ['p95Ms', 2],
  ['cpuMs', 2],
];

/** @param {Contender[]} contenders @param {string} title @param {Rounds} rounds */
function printMeasurements(contenders, title, rounds) {
  const rows = contenders.map((contender) => [
    contender.label,
    ...COLUMNS.map(([field, digits]) => figure(median(valuesOf(contender, rounds, field)), digits)),
  ]);
  const ratios = ['(a) / (b)', ...COLUMNS.map(([field]) => figure(ratioOf(contenders, rounds, field), 3))];
  const heading = ['', 'req/s', 'p50 ms', 'p95 ms', 'CPU ms/req'];
  printRows(title, [heading, ...rows, ...(contenders.length > 1 ? [ratios] : [])]);
}

/**
 * @param {Contender[]} contenders
 * @param {{ rounds: number, seconds: number, signal: AbortSignal }} options
 * @returns {Promise<string[]>} faults
 */
async function measureAll(contenders, options) {
  /** @type {import('../measuring/report.mjs').Verdict[]} */
  const verdicts = [];
  /** @type {string[]} */
  const faults = [];
  for (const [index, { name }] of (contenders[0]?.requests ?? []).entries()) {
    faults.push(...(await compareResponses(contenders, index)));
    /** @type {Map<Contender, Measurement>[]} */
    const rounds = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      const { measured, faults: roundFaults } = await measureRound(contenders, index, options);
      faults.push(...roundFaults);
      // The first round is a warm-up.
      if (round > 1) rounds.push(measured);
    }
    printMeasurements(contenders, name, rounds);
    const value = ratioOf(contenders, rounds, 'p50Ms');
    verdicts.push({ what: `${name}, p50, (a) / (b)`, value, unit: '×', digits: 3, atMost: 1 + TOLERANCE });
  }
  if (contenders.length > 1) printVerdicts(verdicts);
  return faults;
}

/** @type {import('../run.mjs').Benchmark} */
export async function benchConsoleReads(bench, { rounds, seconds, against }) {
  const database = await createDatabase(bench, DATABASE);
  const url = new URL(bench.postgresUrl);
  url.pathname = `/${DATABASE}`;
  // The consoles share the role, so its password is set once.
  const environment = { DATABASE_URL: await roleUrl(database, 'console'), RATE_LIMIT_MULTIPLIER: '1000000' };
  /** @type {Start} */
  const start = ({ folder }) => startConsole(bench, database, environment, folder);
  /** @type {Build} */
  const own = { label: '(a) this build', folder: root };
  const builds = [own, ...(against === undefined ? [] : [{ label: '(b) other build', folder: against }])];

  const accountId = await registerAccount(start, own);
  const startedAt = performance.now();
  const tableRows = await fillDatabase(bench, url.href, accountId, database.priceListId);
  const rows = [...tableRows.values()].reduce((sum, count) => sum + Math.max(0, count), 0);
  const fillSeconds = (performance.now() - startedAt) / 1000;
  console.log(`\nConsole reads: ${rows} rows, filled in ${fillSeconds.toFixed(0)} s.`);

  /** @type {string[]} */
  const faults = [];
  const planLog = new PlanLog({ url: url.href, logFile: bench.postgresLog, role: 'console' });
  await planLog.open();
  const planned = [];
  for (const build of builds) {
    const contender = await startContender(start, build);
    const found = await checkPlans(contender, planLog, tableRows);
    // The other build is the yardstick, not the subject.
    if (build === own) faults.push(...found);
    await contender.stop();
    planned.push(contender);
  }
  await planLog.close();

  console.log(`\n${rounds - 1} rounds of ${seconds} s for each request and build, after one to warm up.`);
  const contenders = [];
  for (const { label, folder, requests } of planned)
    contenders.push(await startContender(start, { label, folder }, requests));
  faults.push(...(await measureAll(contenders, { rounds, seconds, signal: bench.signal })));
  for (const contender of contenders) await contender.stop();
  return faults;
}
