import { spawnNode } from '../../launcher/processes/child-processes.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { BALANCE_PICOS, createDatabase, roleUrl } from '../setup/database.mjs';
import { measureFirstDelta } from './first-delta.mjs';
import { figure, median, printRows, printVerdicts } from '../measuring/report.mjs';
import { STREAM_CONTENDERS } from './contenders.mjs';
import { measureStreams } from './stream-measurement.mjs';
import { root } from '../setup/workbench.mjs';

/** Measured before the requested load, to show at which load the machine becomes the bottleneck. */
const SMALLER_LOADS = [200, 500];
const MAX_DELAY_RATIO = 3;
const MAX_CPU_RATIO = 2;
const MAX_KILOBYTES_PER_STREAM = 60;
const MAX_ADDED_MS = 6;

/**
 * @import { Site } from './contenders.mjs'
 * @import { StreamMeasurement } from './stream-measurement.mjs'
 *
 * @typedef {Record<'bare' | 'agent' | 'proxy', StreamMeasurement[]>} Measurements by contender, in the order of the rounds
 * @typedef {{ load: number, measurements: Measurements, faults: string[] }} Outcome
 */

/**
 * Measures the contenders in turn. The first round warms up the database and the readers.
 * @param {Site & { rounds: number }} site
 * @param {number} load streams
 * @returns {Promise<Outcome>}
 */
async function takeTurns(site, load) {
  /** @type {Measurements} */
  const measurements = { bare: [], agent: [], proxy: [] };
  /** @type {string[]} */
  const faults = [];
  for (let round = 1; round <= site.rounds && faults.length === 0; round += 1) {
    for (const contender of STREAM_CONTENDERS) {
      const measured = await measureStreams(site, contender, load);
      if (round > 1 && measured.measurement) measurements[contender.key].push(measured.measurement);
      faults.push(...measured.faults.map((fault) => `${contender.label}, ${load} streams: ${fault}`));
    }
  }
  return { load, measurements, faults };
}

/** @type {[heading: string, field: keyof StreamMeasurement, digits: number][]} */
const COLUMNS = [
  ['tokens/s', 'tokensPerSecond', 0],
  ['events/s', 'eventsPerSecond', 0],
  ['p50 ms', 'p50Ms', 2],
  ['p99 ms', 'p99Ms', 2],
  ['max ms', 'maxMs', 1],
  ['CPU', 'cpu', 2],
  ['PostgreSQL', 'postgresCpu', 2],
  ['kB/stream', 'residentKb', 1],
  ['heap kB', 'heapKb', 1],
  ['opened/s', 'openedPerSecond', 0],
];

/** @param {Outcome} outcome @param {number} perSecond tokens of each stream */
function printLoad({ load, measurements }, perSecond) {
  const rows = STREAM_CONTENDERS.map(({ key, label }) => [
    label,
    ...COLUMNS.map(([, field, digits]) =>
      figure(median(measurements[key].map((measurement) => measurement[field])), digits),
    ),
  ]);
  const title = `${load} streams at ${perSecond} tokens/s`;
  printRows(title, [['', ...COLUMNS.map(([heading]) => heading)], ...rows]);
}

/**
 * @param {Outcome[]} outcomes
 * @param {Outcome} largest of the outcomes
 * @param {number} addedP50Ms
 * @returns {import('../measuring/report.mjs').Verdict[]}
 */
function verdictsOf(outcomes, largest, addedP50Ms) {
  /** @param {Outcome} outcome @param {'p99Ms' | 'cpu'} field */
  const ratio = ({ measurements: { agent, proxy } }, field) =>
    median(agent.map((measurement, round) => measurement[field] / (proxy[round]?.[field] ?? NaN)));
  return [
    ...outcomes.map((outcome) => ({
      what: `p99 of the delay, ${outcome.load} streams, agent / bare proxy (b/c)`,
      ...{ value: ratio(outcome, 'p99Ms'), unit: '×', atMost: MAX_DELAY_RATIO },
    })),
    ...outcomes.map((outcome) => ({
      what: `Processor time per token, ${outcome.load} streams, agent / bare proxy (b/c)`,
      ...{ value: ratio(outcome, 'cpu'), unit: '×', atMost: MAX_CPU_RATIO },
    })),
    {
      what: `Memory per stream, ${largest.load} streams, agent`,
      value: median(largest.measurements.agent.map(({ residentKb }) => residentKb)),
      ...{ unit: ' kB', atMost: MAX_KILOBYTES_PER_STREAM },
    },
    {
      what: 'First delta, p50 of the time added by the agent',
      ...{ value: addedP50Ms, unit: ' ms', atMost: MAX_ADDED_MS },
    },
  ];
}

/** Starts the process that reads all streams, so that reading does not delay this process. @param {Site['bench']} bench */
function startReaders(bench) {
  const child = spawnNode(['tools/bench/agent/stream-reader-process.mjs'], {
    cwd: root,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  bench.defer(() => child.kill('SIGKILL'));
  return child;
}

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchAgent(bench, { rounds, seconds, streams, tokensPerSecond }) {
  const database = await createDatabase(bench, 'agent_bench');
  const account = await loadBuilt('libs/testing/src').insertAccount(database.pool, {
    balancePicos: BALANCE_PICOS,
  });
  const databaseUrl = await roleUrl(database, 'agent');
  const readers = startReaders(bench);
  const site = { bench, account, databaseUrl, readers, rounds, seconds, perSecond: tokensPerSecond };

  console.log(
    `\nAgent: ${rounds - 1} rounds of ${seconds} s for each contender, after one to warm up.` +
      `\nPostgreSQL: ${database.durability}`,
  );
  /** @type {Outcome[]} */
  const outcomes = [];
  for (const load of [...SMALLER_LOADS.filter((smaller) => smaller < streams), streams]) {
    const outcome = await takeTurns(site, load);
    // Results of failed streams mean nothing.
    if (outcome.faults.length > 0) return outcome.faults;
    outcomes.push(outcome);
    printLoad(outcome, tokensPerSecond);
  }
  readers.kill('SIGKILL');

  const firstDelta = await measureFirstDelta(bench, { database, databaseUrl, account });
  const largest = outcomes.at(-1);
  if (largest && firstDelta.addedP50Ms !== undefined)
    printVerdicts(verdictsOf(outcomes, largest, firstDelta.addedP50Ms));
  return firstDelta.faults;
}
