import { startContenders } from './contenders.mjs';
import { BALANCE_PICOS, createDatabase, product } from './database.mjs';
import { checkLedger } from './ledger-check.mjs';
import { applyLoad, describeLoad } from './load.mjs';
import { installPeers } from './peers.mjs';
import { median, printLedger, printTable, printVerdicts } from './report.mjs';

/** @type {import('./load.mjs').Load[]} */
const LOADS = [
  { streamed: false, connections: 1 },
  { streamed: false, connections: 32 },
  { streamed: true, connections: 1 },
  { streamed: true, connections: 32 },
];

const FIRST_TRIAL_PER_CONNECTION = 10;

/** Adds up what the engine has served for the gateway, and for nobody else. */
class ServedCount {
  requests = 0n;
  inputTokens = 0n;
  outputTokens = 0n;

  /** @param {string} engineUrl */
  constructor(engineUrl) {
    this.engineUrl = engineUrl;
  }

  /** @template T @param {import('./contenders.mjs').Contender} contender @param {() => Promise<T>} work @returns {Promise<T>} */
  async during(contender, work) {
    if (contender.key !== 'gateway') return work();
    await fetch(`${this.engineUrl}/_sandbox/reset`, { method: 'POST' });
    const value = await work();
    const served = await (await fetch(`${this.engineUrl}/_sandbox/served`)).json();
    this.requests += BigInt(served.requests);
    this.inputTokens += BigInt(served.prompt_tokens);
    this.outputTokens += BigInt(served.completion_tokens);
    return value;
  }
}

/**
 * Warms a contender up for about the length of a round, and finds out how many requests make up one.
 * @returns {Promise<{ amount: number, faults: string[] }>}
 */
async function warmUp(contender, load, seconds, signal) {
  const faults = [];
  const startedAt = performance.now();
  for (let amount = FIRST_TRIAL_PER_CONNECTION * load.connections; ; amount *= 2) {
    const trial = await applyLoad(contender, load, amount, signal);
    faults.push(...trial.faults);
    if (faults.length === 0 && performance.now() - startedAt < seconds * 1000) continue;
    const perConnection = Math.ceil((trial.perSecond * seconds) / load.connections) || 1;
    return { amount: perConnection * load.connections, faults };
  }
}

/**
 * One round per contender in turn, again and again, so that whatever else the machine does meets all of them.
 * @returns {Promise<{ measurements: Record<string, import('./load.mjs').Measurement[]>, faults: string[] }>} by contender
 */
async function takeTurns(contenders, load, { rounds, seconds, served, signal }) {
  const faults = [];
  const amounts = {};
  const measurements = Object.fromEntries(contenders.map(({ key }) => [key, []]));
  for (const contender of contenders) {
    const warm = await served.during(contender, () => warmUp(contender, load, seconds, signal));
    amounts[contender.key] = warm.amount;
    faults.push(...warm.faults);
  }
  for (let round = 2; round <= rounds; round += 1) {
    for (const contender of contenders) {
      const { key } = contender;
      const measured = await served.during(contender, () => applyLoad(contender, load, amounts[key], signal));
      measurements[key].push(measured);
      faults.push(...measured.faults);
    }
  }
  return { measurements, faults };
}

/** @typedef {{ load: import('./load.mjs').Load, measurements: Record<string, import('./load.mjs').Measurement[]> }} Outcome */

/** @param {Outcome[]} outcomes */
function verdictsOf(outcomes) {
  const find = (streamed, connections) =>
    outcomes.find(({ load }) => load.streamed === streamed && load.connections === connections).measurements;
  const ratio = (measurements, other) =>
    median(
      measurements.gateway.map(({ perSecond }, round) => perSecond / measurements[other][round].perSecond),
    );
  const added = (measurements) =>
    median(measurements.gateway.map(({ p50Ms }, round) => p50Ms - measurements.engine[round].p50Ms));
  const busy = find(false, 32);
  return [
    {
      what: 'JSON throughput at 32 connections, gateway / upstream (c/a)',
      value: ratio(busy, 'engine'),
      unit: '×',
    },
    {
      what: 'JSON throughput at 32 connections, gateway / bare proxy (c/b)',
      value: ratio(busy, 'proxy'),
      unit: '×',
    },
    {
      what: 'JSON throughput at 32 connections, gateway / Portkey (c/d)',
      ...{ value: ratio(busy, 'portkey'), unit: '×', atLeast: 1.5 },
    },
    {
      what: 'SSE throughput at 32 connections, gateway / Portkey (c/d)',
      ...{ value: ratio(find(true, 32), 'portkey'), unit: '×' },
    },
    {
      what: 'JSON p50 at 1 connection, added by the gateway (c - a)',
      ...{ value: added(find(false, 1)), unit: ' ms', atMost: 3 },
    },
    {
      what: 'SSE p50 at 1 connection, added by the gateway (c - a)',
      value: added(find(true, 1)),
      unit: ' ms',
    },
  ];
}

/** @param {import('./workbench.mjs').Workbench} bench @returns {Promise<string[]>} faults */
export async function benchGateway(bench, { rounds, seconds }) {
  await installPeers(bench.signal);
  const database = await createDatabase(bench, 'gateway_bench');
  const account = await product('libs/testing/src').insertAccount(database.pool, {
    balancePicos: BALANCE_PICOS,
  });
  const contenders = await startContenders(bench, database, account);
  const [engine] = contenders;
  const served = new ServedCount(engine.url);

  console.log(
    `\nGateway: ${rounds - 1} rounds of about ${seconds} s for each contender, after one to warm up.`,
  );
  console.log(`PostgreSQL: ${database.durability}`);
  const outcomes = [];
  const faults = [];
  for (const load of LOADS) {
    const outcome = await takeTurns(contenders, load, { rounds, seconds, served, signal: bench.signal });
    faults.push(...outcome.faults);
    outcomes.push({ load, measurements: outcome.measurements });
    printTable(describeLoad(load), contenders, outcome.measurements);
    // Figures of failures say nothing, and every further one may take its time.
    if (faults.length > 0) break;
  }
  if (faults.length === 0) printVerdicts(verdictsOf(outcomes));

  // The gateway gives its leases back as it ends, so the books are final.
  for (const contender of contenders.reverse()) await contender.stop();
  const ledger = await checkLedger(database.pool, served);
  printLedger(ledger.lines);
  return [...faults, ...ledger.faults];
}
