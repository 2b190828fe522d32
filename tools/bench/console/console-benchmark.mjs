import { processorTimeMs, processTreeTimeMs } from '../measuring/process-usage.mjs';
import { figure, median, percentile, printRows, printVerdicts } from '../measuring/report.mjs';
import { startConsole } from '../setup/console.mjs';
import { createDatabase, roleUrl } from '../setup/database.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { root } from '../setup/workbench.mjs';
import { ConsoleClient } from './console-client.mjs';
import { registerAccount, startContender } from './contenders.mjs';
import { CATALOGUE_MODELS, usageOf } from './fill-statements.mjs';
import { fillDatabase } from './filled-database.mjs';
import { checkPlansOf } from './plan-check.mjs';

/**
 * @import { MeasuredRequest } from './requests.mjs'
 *
 * @typedef {object} Measurement
 * @property {number} perSecond
 * @property {number} p50Ms until the last byte
 * @property {number} p99Ms
 * @property {number} cpuMs processor time of the console's process per request; NaN if it cannot be read
 * @property {number} postgresCpuMs of all processes of PostgreSQL
 */

const CONNECTIONS = 16;
const SHOWN_CHARS = 90;

/**
 * Sends a request again and again over CONNECTIONS connections.
 * @param {Contender} contender
 * @param {MeasuredRequest} request
 * @param {{ seconds: number, signal: AbortSignal, postgresPid: number }} options
 * @returns {Promise<{ measured: Measurement, faults: string[] }>}
 */
async function applyLoad(contender, request, { seconds, signal, postgresPid }) {
  /** @type {number[]} */
  const latenciesMs = [];
  /** @type {Set<string>} */
  const faults = new Set();
  const clients = Array.from({ length: CONNECTIONS }, () => new ConsoleClient(contender.url));
  const cpuBefore = processorTimeMs(contender.pid);
  const postgresBefore = processTreeTimeMs(postgresPid);
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const send = async (/** @type {ConsoleClient} */ client) => {
    do {
      signal.throwIfAborted();
      const sentAt = performance.now();
      const { status, text } = await contender.send(client, request);
      latenciesMs.push(performance.now() - sentAt);
      if (status !== 200) faults.add(`${request.name}: ${status} ${text.slice(0, SHOWN_CHARS)}`);
    } while (faults.size === 0 && performance.now() < endsAt);
  };
  await Promise.all(clients.map(send));
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const cpuMs = processorTimeMs(contender.pid) - cpuBefore;
  const postgresCpuMs = processTreeTimeMs(postgresPid) - postgresBefore;
  await Promise.all(clients.map((client) => client.close()));
  latenciesMs.sort((a, b) => a - b);
  const count = latenciesMs.length;
  return {
    measured: {
      perSecond: count / elapsedSeconds,
      p50Ms: percentile(latenciesMs, 0.5),
      p99Ms: percentile(latenciesMs, 0.99),
      cpuMs: cpuMs / count,
      postgresCpuMs: postgresCpuMs / count,
    },
    faults: [...faults].map((fault) => `${contender.label}, ${fault}`),
  };
}

const DATABASE = 'console_bench';
/** So many small accounts sign in. More than connections, because concurrent sign-ins of one account count as wrong ones. */
const SIGN_IN_ACCOUNTS = 1_000;
/** Allowed difference between two builds. */
const TOLERANCE = 0.1;
const BYTES_PER_GB = 1e9;
const LEDGER = 'wallet.entries';

/**
 * @import { Build, Contender, Start } from './contenders.mjs'
 *
 * @typedef {Map<Contender, Measurement>[]} Rounds
 */

/** @param {string} text of a response @returns {string} without its cursor, which builds may write differently */
const comparable = (text) => text.replace(/"next_cursor":"[^"]*"/, '"next_cursor":"…"');

/** @param {Contender[]} contenders @param {number} index of the request @returns {Promise<string[]>} faults */
async function compareResponses(contenders, index) {
  /** @type {string[]} */
  const texts = [];
  for (const contender of contenders) {
    const request = contender.requests[index];
    if (request === undefined || request.by === 'small') return [];
    const client = new ConsoleClient(contender.url);
    texts.push(comparable((await contender.send(client, request)).text));
    await client.close();
  }
  return texts.every((text) => text === texts[0])
    ? []
    : [`${contenders[0]?.requests[index]?.name}: the builds give different responses`];
}

/** @param {Contender | undefined} contender @param {Rounds} rounds @param {keyof Measurement} field */
const valuesOf = (contender, rounds, field) =>
  rounds.map((round) => (contender && round.get(contender)?.[field]) ?? NaN);

/** @param {Contender[]} contenders @param {Rounds} rounds @param {keyof Measurement} field @returns {number} (a) / (b) */
function ratioOf([own, other], rounds, field) {
  const others = valuesOf(other, rounds, field);
  return median(valuesOf(own, rounds, field).map((value, round) => value / (others[round] ?? NaN)));
}

/** @type {[field: keyof Measurement, heading: string, digits: number][]} */
const COLUMNS = [
  ['perSecond', 'req/s', 0],
  ['p50Ms', 'p50 ms', 1],
  ['p99Ms', 'p99 ms', 1],
  ['cpuMs', 'CPU ms/req', 2],
  ['postgresCpuMs', 'PostgreSQL ms/req', 2],
];
const HEADINGS = COLUMNS.map(([, heading]) => heading);

/**
 * @param {Contender[]} contenders
 * @param {{ rounds: number, seconds: number, signal: AbortSignal, postgresPid: number }} options
 * @returns {Promise<string[]>} faults
 */
async function measureAll(contenders, options) {
  /** @type {import('../measuring/report.mjs').Verdict[]} */
  const verdicts = [];
  /** @type {string[]} */
  const faults = [];
  const table = [['', ...HEADINGS]];
  for (const [index, { by, name }] of (contenders[0]?.requests ?? []).entries()) {
    faults.push(...(await compareResponses(contenders, index)));
    /** @type {Rounds} */
    const rounds = [];
    for (let round = 0; round < options.rounds; round += 1) {
      /** @type {Map<Contender, Measurement>} */
      const measured = new Map();
      // Every second time the other build begins, so that none of them always follows the other one.
      for (const contender of round % 2 ? contenders.toReversed() : contenders) {
        const request = contender.requests[index];
        if (request === undefined) throw new Error(`${contender.label} has no request ${name}.`);
        const load = await applyLoad(contender, request, options);
        measured.set(contender, load.measured);
        faults.push(...load.faults);
      }
      // The first round is a warm-up.
      if (round > 0) rounds.push(measured);
    }
    const title = `${name}, ${by}`;
    for (const contender of contenders) {
      const cells = COLUMNS.map(([field, , digits]) =>
        figure(median(valuesOf(contender, rounds, field)), digits),
      );
      table.push([contenders.length > 1 ? `${title} ${contender.label}` : title, ...cells]);
    }
    const value = ratioOf(contenders, rounds, 'p50Ms');
    verdicts.push({ what: `${title}, p50, (a) / (b)`, value, unit: '×', digits: 3, atMost: 1 + TOLERANCE });
  }
  printRows(`Load over ${CONNECTIONS} connections`, table);
  if (contenders.length > 1) printVerdicts(verdicts);
  return [...new Set(faults)];
}

/** @param {import('./filled-database.mjs').TableSize[]} tables @param {number} fillMs */
function printContent(tables, fillMs) {
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  const rows = tables.reduce((sum, table) => sum + Math.max(0, table.rows), 0);
  const entries = tables.find(({ name }) => name === LEDGER)?.rows ?? NaN;
  const largest = tables.toSorted((a, b) => b.bytes - a.bytes).slice(0, 12);
  printRows(`Filled in ${figure(fillMs / 1000, 0)} s`, [
    ['', 'rows', 'GB'],
    ...largest.map((table) => [table.name, String(table.rows), figure(table.bytes / BYTES_PER_GB, 2)]),
    ['all tables', String(rows), figure(bytes / BYTES_PER_GB, 2)],
  ]);
  console.log(
    `  ${figure(bytes / entries, 0)} bytes for each ledger entry, with everything that belongs to it`,
  );
}

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchConsole(bench, { rounds, seconds, against, accounts, entries }) {
  const size = { accounts, entries };
  // Refuses sizes that do not fit before anything takes time.
  usageOf(size);
  const database = await createDatabase(bench, DATABASE);
  const prices = Array.from({ length: CATALOGUE_MODELS }, (_, n) => ({
    ...{ slug: `sandbox-${n + 1}`, unit: /** @type {const} */ ('per_million_tokens'), ratePicos: 500_000n },
  }));
  await loadBuilt('libs/testing/src').publishPrices(database.pool, prices);
  const url = new URL(bench.postgresUrl);
  url.pathname = `/${DATABASE}`;
  // The consoles share the role, so its password is set once.
  const environment = { DATABASE_URL: await roleUrl(database, 'console'), RATE_LIMIT_MULTIPLIER: '1000000' };
  /** @type {Start} */
  const start = ({ folder }) => startConsole(bench, database, environment, folder);
  /** @type {Build} */
  const own = { label: '(a) this build', folder: root };
  const builds = [own, ...(against === undefined ? [] : [{ label: '(b) other build', folder: against }])];

  const largeAccountId = await registerAccount(start, own);
  const startedAt = performance.now();
  const { priceListId } = database;
  const tables = await fillDatabase(bench, url.href, { ...size, largeAccountId, priceListId });
  printContent(tables, performance.now() - startedAt);
  const { rows: small } = await database.pool.query(
    'SELECT email FROM accounts.accounts WHERE id <> $1 ORDER BY md5(id) LIMIT $2',
    [largeAccountId, SIGN_IN_ACCOUNTS],
  );
  const smallEmails = small.map(({ email }) => email);

  const server = { url: url.href, logFile: bench.postgresLog, role: 'console' };
  const tableRows = new Map(tables.map(({ name, rows }) => [name, rows]));
  const startBuild = (/** @type {Build} */ build) => startContender(start, build, smallEmails);
  const planFaults = await checkPlansOf(startBuild, builds, server, tableRows);

  const contenders = [];
  for (const build of builds) contenders.push(await startBuild(build));
  console.log(`\n${rounds - 1} rounds of ${seconds} s for each request and build, after one to warm up.`);
  const { signal, postgresPid } = bench;
  const faults = await measureAll(contenders, { rounds, seconds, signal, postgresPid });
  for (const contender of contenders) await contender.stop();
  return [...planFaults, ...faults];
}
