import { startContenders } from './contenders.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { BALANCE_PICOS, createDatabase, limitKeys } from '../setup/database.mjs';
import { checkLedger } from '../measuring/ledger-check.mjs';
import { applyLoad, describeLoad } from './load.mjs';
import { installPeers } from '../setup/peer-packages.mjs';
import { median, printLedger, printTable, printVerdicts } from '../measuring/report.mjs';

/**
 * @import { Contender } from './contenders.mjs'
 * @import { Measurement } from '../measuring/report.mjs'
 * @import { Load } from './load.mjs'
 */

/**
 * The large loads come first: a service in operation runs compiled code, and a round over one connection is too short for V8 to compile it.
 * @type {Load[]}
 */
const LOADS = [
  { streamed: false, connections: 32 },
  { streamed: true, connections: 32 },
  { streamed: false, connections: 1 },
  { streamed: true, connections: 1 },
];

const FIRST_TRIAL_PER_CONNECTION = 10;

/** Counts the requests and tokens that the engine has served for the gateway. */
class ServedCount {
  requests = 0n;
  inputTokens = 0n;
  outputTokens = 0n;

  /** @param {string} engineUrl */
  constructor(engineUrl) {
    this.engineUrl = engineUrl;
  }

  /** @template T @param {Contender} contender @param {() => Promise<T>} work @returns {Promise<T>} */
  async during(contender, work) {
    if (contender.key !== 'gateway') return work();
    await fetch(`${this.engineUrl}/_sandbox/reset`, { method: 'POST' });
    const value = await work();
    const response = await fetch(`${this.engineUrl}/_sandbox/served`);
    const served =
      /** @type {{ requests: number, prompt_tokens: number, completion_tokens: number }} */
      (await response.json());
    this.requests += BigInt(served.requests);
    this.inputTokens += BigInt(served.prompt_tokens);
    this.outputTokens += BigInt(served.completion_tokens);
    return value;
  }
}

/**
 * Warms a contender up for about the duration of a round.
 * @param {Contender} contender
 * @param {Load} load
 * @param {number} seconds
 * @param {AbortSignal} signal
 * @returns {Promise<{ amount: number, faults: string[] }>} `amount`: the requests of a round
 */
async function warmUp(contender, load, seconds, signal) {
  /** @type {string[]} */
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
 * Measures the contenders in turn, round by round, so that other work of the machine affects all of them alike.
 * @param {Contender[]} contenders
 * @param {Load} load
 * @param {{ rounds: number, seconds: number, served: ServedCount, signal: AbortSignal }} options
 * @returns {Promise<{ measurements: Measurements, faults: string[] }>}
 */
async function takeTurns(contenders, load, { rounds, seconds, served, signal }) {
  /** @type {string[]} */
  const faults = [];
  const amounts = new Map();
  /** @type {Measurements} */
  const measurements = { engine: [], proxy: [], gateway: [], portkey: [], other: [] };
  for (const contender of contenders) {
    const warm = await served.during(contender, () => warmUp(contender, load, seconds, signal));
    amounts.set(contender.key, warm.amount);
    faults.push(...warm.faults);
  }
  for (let round = 2; round <= rounds; round += 1) {
    for (const contender of contenders) {
      const amount = amounts.get(contender.key);
      const measured = await served.during(contender, () => applyLoad(contender, load, amount, signal));
      measurements[contender.key].push(measured);
      faults.push(...measured.faults);
    }
  }
  return { measurements, faults };
}

/**
 * @typedef {Record<Contender['key'], Measurement[]>} Measurements by contender, in the order of the rounds
 * @typedef {{ load: Load, measurements: Measurements }} Outcome
 */

/** @param {Outcome[]} outcomes @returns {import('../measuring/report.mjs').Verdict[]} */
function verdictsOf(outcomes) {
  /** @param {boolean} streamed @param {number} connections */
  const find = (streamed, connections) =>
    outcomes.find(({ load }) => load.streamed === streamed && load.connections === connections)?.measurements;
  /** @param {Measurements | undefined} measurements @param {Contender['key']} other */
  const ratio = (measurements, other) =>
    median(
      (measurements?.gateway ?? []).map(
        ({ perSecond }, round) => perSecond / (measurements?.[other][round]?.perSecond ?? NaN),
      ),
    );
  /** @param {Measurements | undefined} measurements */
  const added = (measurements) =>
    median(
      (measurements?.gateway ?? []).map(
        ({ p50Ms }, round) => p50Ms - (measurements?.engine[round]?.p50Ms ?? NaN),
      ),
    );
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
      ...{ value: ratio(busy, 'portkey'), unit: '×', atLeast: 3 },
    },
    {
      what: 'SSE throughput at 32 connections, gateway / Portkey (c/d)',
      ...{ value: ratio(find(true, 32), 'portkey'), unit: '×', atLeast: 3 },
    },
    {
      what: 'JSON at 32 connections, processor time of the gateway per request (c)',
      ...{ value: median((busy?.gateway ?? []).map(({ cpuMs }) => cpuMs)), unit: ' ms', atMost: 0.35 },
    },
    {
      what: 'JSON p50 at 1 connection, added by the gateway (c - a)',
      ...{ value: added(find(false, 1)), unit: ' ms', atMost: 1.5 },
    },
    {
      what: 'SSE p50 at 1 connection, added by the gateway (c - a)',
      value: added(find(true, 1)),
      unit: ' ms',
    },
  ];
}

/**
 * Compares the gateway with that of another checkout: none if there is none.
 * @param {Outcome[]} outcomes
 * @returns {import('../measuring/report.mjs').Verdict[]}
 */
const comparisonsOf = (outcomes) =>
  outcomes
    .filter(({ measurements }) => measurements.other.length > 0)
    .flatMap(({ load, measurements: { gateway, other } }) => {
      /** @param {'perSecond' | 'cpuMs'} field */
      const ratio = (field) =>
        median(gateway.map((measured, round) => measured[field] / (other[round]?.[field] ?? NaN)));
      const what = (/** @type {string} */ name) =>
        `${describeLoad(load)}, ${name}, gateway / other build (c/e)`;
      return [
        { what: what('throughput'), value: ratio('perSecond'), unit: '×', digits: 3 },
        { what: what('processor time per request'), value: ratio('cpuMs'), unit: '×', digits: 3 },
      ];
    });

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchGateway(bench, { rounds, seconds, workers, against, limitedKeys }) {
  await installPeers(bench.signal);
  const database = await createDatabase(bench, 'gateway_bench');
  const account = await loadBuilt('libs/testing/src').insertAccount(database.pool, {
    balancePicos: BALANCE_PICOS,
  });
  if (limitedKeys) await limitKeys(database);
  const contenders = await startContenders(bench, database, account, { workers, against });
  const [engine] = contenders;
  const served = new ServedCount(engine.url);

  console.log(
    `\nGateway: ${rounds - 1} rounds of about ${seconds} s for each contender, after one to warm up.`,
  );
  console.log(`PostgreSQL: ${database.durability}`);
  /** @type {Outcome[]} */
  const outcomes = [];
  /** @type {string[]} */
  const faults = [];
  for (const load of LOADS) {
    const outcome = await takeTurns(contenders, load, { rounds, seconds, served, signal: bench.signal });
    faults.push(...outcome.faults);
    outcomes.push({ load, measurements: outcome.measurements });
    printTable(describeLoad(load), contenders, outcome.measurements);
    // Results of failed requests mean nothing, and further loads may wait for timeouts.
    if (faults.length > 0) break;
  }
  if (faults.length === 0) printVerdicts([...verdictsOf(outcomes), ...comparisonsOf(outcomes)]);

  // The gateway returns its leases when it ends. The ledger is complete only then.
  for (const contender of contenders.reverse()) await contender.stop();
  const ledger = await checkLedger(database.pool, served);
  printLedger(ledger.lines);
  return [...faults, ...ledger.faults];
}
