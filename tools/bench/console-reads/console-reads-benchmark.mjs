import { processorTimeMs } from '../measuring/process-usage.mjs';
import { figure, median, percentile, printRows, printVerdicts } from '../measuring/report.mjs';
import { startConsole } from '../setup/console.mjs';
import { createDatabase, roleUrl } from '../setup/database.mjs';
import { root } from '../setup/workbench.mjs';
import { registerAccount, startContender } from './contenders.mjs';
import { fillDatabase } from './filled-database.mjs';
import { checkPlansOf } from './plan-check.mjs';

const DATABASE = 'console_reads_bench';
const SHOWN_CHARS = 90;
/** Allowed difference between two builds. */
const TOLERANCE = 0.1;

/**
 * @import { Build, Contender, Start } from './contenders.mjs'
 *
 * @typedef {object} Measurement
 * @property {number} perSecond requests over one connection
 * @property {number} p50Ms
 * @property {number} p95Ms
 * @property {number} cpuMs processor time of the console's process per request; NaN if it cannot be read
 */

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

  const server = { url: url.href, logFile: bench.postgresLog, role: 'console' };
  const plans = await checkPlansOf(start, builds, server, tableRows);

  console.log(`\n${rounds - 1} rounds of ${seconds} s for each request and build, after one to warm up.`);
  const contenders = [];
  for (const [n, build] of builds.entries())
    contenders.push(await startContender(start, build, plans[n]?.requests));
  const faults = await measureAll(contenders, { rounds, seconds, signal: bench.signal });
  for (const contender of contenders) await contender.stop();
  // The plans of the other build are for comparison only.
  return [...(plans[0]?.faults ?? []), ...faults];
}
