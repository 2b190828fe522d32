import { spawnNode } from '../launcher/children.mjs';
import { BALANCE_PICOS, createDatabase, product, roleUrl } from './database.mjs';
import { measureFirstDelta } from './first-delta.mjs';
import { figure, median, printRows, printVerdicts } from './report.mjs';
import { STREAM_CONTENDERS } from './stream-contenders.mjs';
import { measureStreams } from './stream-round.mjs';
import { root } from './workbench.mjs';

/** Beside the load that is asked for, to show from where on the machine is what limits. */
const SMALLER_LOADS = [200, 500];
const MOST_TIMES_THE_DELAY = 3;
const MOST_KILOBYTES = 60;
const MOST_ADDED_MILLIS = 10;

/** One round per contender in turn, again and again, the first of which warms the database and the readers up. */
async function takeTurns(site, load) {
  const measurements = Object.fromEntries(STREAM_CONTENDERS.map(({ key }) => [key, []]));
  const faults = [];
  for (let round = 1; round <= site.rounds && faults.length === 0; round += 1) {
    for (const contender of STREAM_CONTENDERS) {
      const measured = await measureStreams(site, contender, load);
      if (round > 1) measurements[contender.key].push(measured.measurement);
      faults.push(...measured.faults.map((fault) => `${contender.label}, ${load} streams: ${fault}`));
    }
  }
  return { load, measurements, faults };
}

const COLUMNS = [
  ['tokens/s', 'tokensPerSecond', 0],
  ['frames/s', 'framesPerSecond', 0],
  ['p50 ms', 'p50Ms', 2],
  ['p99 ms', 'p99Ms', 2],
  ['max ms', 'maxMs', 1],
  ['CPU', 'cpu', 2],
  ['PostgreSQL', 'postgresCpu', 2],
  ['kB/stream', 'residentKb', 1],
  ['heap kB', 'heapKb', 1],
  ['opened/s', 'openedPerSecond', 0],
];

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

function verdictsOf(outcomes, firstDelta) {
  const ratio = ({ measurements }, other) =>
    median(measurements.agent.map(({ p99Ms }, round) => p99Ms / measurements[other][round].p99Ms));
  const largest = outcomes.at(-1);
  const ofDelay = outcomes.map((outcome) => ({
    what: `p99 of the delay, ${outcome.load} streams, agent / bare server (b/a)`,
    ...{ value: ratio(outcome, 'bare'), unit: '×' },
    ...(outcome === largest && { atMost: MOST_TIMES_THE_DELAY }),
  }));
  return [
    ...ofDelay,
    {
      what: `p99 of the delay, ${largest.load} streams, agent / bare proxy (b/c)`,
      ...{ value: ratio(largest, 'proxy'), unit: '×' },
    },
    {
      what: `Memory per stream, ${largest.load} streams, agent`,
      value: median(largest.measurements.agent.map(({ residentKb }) => residentKb)),
      ...{ unit: ' kB', atMost: MOST_KILOBYTES },
    },
    {
      what: 'First delta, p50 of what the agent adds to the gateway',
      ...{ value: firstDelta.addedP50Ms, unit: ' ms', atMost: MOST_ADDED_MILLIS },
    },
  ];
}

/** The process that reads all streams, so that its work delays nobody else's. */
function startReaders(bench) {
  const child = spawnNode(['tools/bench/stream-readers.mjs'], {
    cwd: root,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  bench.defer(() => child.kill('SIGKILL'));
  return child;
}

/** @param {import('./workbench.mjs').Workbench} bench @returns {Promise<string[]>} faults */
export async function benchAgent(bench, { rounds, seconds, streams, tokensPerSecond }) {
  const database = await createDatabase(bench, 'agent_bench');
  const account = await product('libs/testing/src').insertAccount(database.pool, {
    balancePicos: BALANCE_PICOS,
  });
  const databaseUrl = await roleUrl(database, 'agent');
  const readers = startReaders(bench);
  const site = { bench, account, databaseUrl, readers, rounds, seconds, perSecond: tokensPerSecond };

  console.log(
    `\nAgent: ${rounds - 1} rounds of ${seconds} s for each contender, after one to warm up.` +
      `\nPostgreSQL: ${database.durability}`,
  );
  const outcomes = [];
  for (const load of [...SMALLER_LOADS.filter((smaller) => smaller < streams), streams]) {
    const outcome = await takeTurns(site, load);
    // Figures of failures say nothing.
    if (outcome.faults.length > 0) return outcome.faults;
    outcomes.push(outcome);
    printLoad(outcome, tokensPerSecond);
  }
  readers.kill('SIGKILL');

  const firstDelta = await measureFirstDelta(bench, { database, databaseUrl, account });
  if (firstDelta.faults.length === 0) printVerdicts(verdictsOf(outcomes, firstDelta));
  return firstDelta.faults;
}
