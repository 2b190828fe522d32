import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startEngine, startGateway } from '../gateway/contenders.mjs';
import { applyLoad, describeLoad } from '../gateway/load.mjs';
import { figure, median, printRows, printVerdicts } from '../measuring/report.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { BALANCE_PICOS, createDatabase } from '../setup/database.mjs';
import { installPeers } from '../setup/peer-packages.mjs';
import { serversOf } from './choice-benchmark.mjs';

/**
 * What it takes to choose an upstream: the hash and the choice alone, and gateways with several upstreams of one model, in turns with the same
 * build that chooses without a hash.
 *
 * @import { Contender } from '../gateway/contenders.mjs'
 * @import { Load } from '../gateway/load.mjs'
 * @import { Measurement } from '../measuring/report.mjs'
 * @import { BenchOptions, Workbench } from '../setup/workbench.mjs'
 */

/** Of one model, with one weight and one priority. */
const UPSTREAMS = 8;
/** Different ones, so that every upstream is the first choice of some. */
const PROMPTS = 256;
/** As in the benchmark of the gateway: the large loads come first. @type {Load[]} */
const LOADS = [
  { streamed: false, connections: 32, prompts: PROMPTS },
  { streamed: true, connections: 32, prompts: PROMPTS },
  { streamed: false, connections: 1, prompts: PROMPTS },
];
/** Changes of upstreams are in force after two seconds. */
const IN_FORCE_MILLIS = 3_000;
const FIRST_TRIAL_PER_CONNECTION = 10;

const CHOICES_OF = [1, 8, 200];
const CHOICE_ROUNDS = 9;
/** A round of one choice after another takes about this long. */
const CHOICE_MILLIS = 100;
/** After so many choices the clock is looked at. */
const BATCH = 1_000;

/** @param {() => void} work done once @returns {number} nanoseconds of one */
function timed(work) {
  const startedAt = performance.now();
  let count = 0;
  for (let elapsed = 0; elapsed < CHOICE_MILLIS; elapsed = performance.now() - startedAt) {
    for (let index = 0; index < BATCH; index += 1) work();
    count += BATCH;
  }
  return ((performance.now() - startedAt) * 1e6) / count;
}

/** Times the hash and the choice alone, in rounds that take turns. */
function benchAlone() {
  const { choose, isCandidate } = loadBuilt('apps/gateway/src/upstreams/choice/chooser');
  const { prefixHash } = loadBuilt('apps/gateway/src/upstreams/choice/prefix-hash');
  /** @param {string} system */
  const bodyWith = (system) => ({
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: 'hello there, how are you today' },
    ],
  });
  const [short, long] = [bodyWith('Be brief.'), bodyWith('Answer as the handbook says. '.repeat(100))];
  let key = 0;
  let chosen = 0;
  /** @type {[name: string, work: () => void][]} */
  const contenders = [
    ['hash of a short prompt', () => (key ^= prefixHash('acc_0123456789', short))],
    ['hash of a long prompt', () => (key ^= prefixHash('acc_0123456789', long))],
    ...CHOICES_OF.map((count) => {
      const servers = serversOf(count);
      const work = () => {
        key = (key + 2_654_435_761) >>> 0;
        const choice = choose(servers, key, 1);
        if (isCandidate(choice)) chosen += 1;
      };
      return /** @type {[string, () => void]} */ ([`choice among ${count}`, work]);
    }),
  ];
  /** @type {number[][]} */
  const nanos = contenders.map(() => []);
  for (let round = 0; round <= CHOICE_ROUNDS; round += 1)
    for (const [index, [, work]] of contenders.entries()) {
      const took = timed(work);
      // The first round compiles.
      if (round > 0) nanos[index]?.push(took);
    }
  if (chosen === 0) throw new Error('Nothing was chosen.');
  printRows(`Alone, medians of ${CHOICE_ROUNDS} interleaved rounds`, [
    ['', 'ns', 'least', 'most'],
    ...contenders.map(([name], index) => {
      const each = nanos[index] ?? [];
      return [name, figure(median(each), 0), figure(Math.min(...each), 0), figure(Math.max(...each), 0)];
    }),
  ]);
}

/** @param {Contender} gateway @param {Load} load @param {number} seconds @param {AbortSignal} signal */
async function warmUp(gateway, load, seconds, signal) {
  const startedAt = performance.now();
  for (let amount = FIRST_TRIAL_PER_CONNECTION * load.connections; ; amount *= 2) {
    const { faults, perSecond } = await applyLoad(gateway, load, amount, signal);
    const isWarm = performance.now() - startedAt >= seconds * 1000;
    if (faults.length > 0 || isWarm)
      return {
        faults,
        amount: (Math.ceil((perSecond * seconds) / load.connections) || 1) * load.connections,
      };
  }
}

/** @param {Workbench} bench @param {BenchOptions} options @returns {Promise<string[]>} */
export async function benchChoosing(bench, { rounds, seconds }) {
  benchAlone();
  await installPeers(bench.signal);
  const database = await createDatabase(bench, 'choosing_bench');
  const engine = await startEngine(bench);
  const upstreams = Array.from({ length: UPSTREAMS }, (_, index) => ({
    name: `gpu-${index}`,
    base_url: `${engine.url}/v1`,
  }));
  const preload = pathToFileURL(path.join(import.meta.dirname, 'without-hash.mjs')).href;
  const { insertAccount } = loadBuilt('libs/testing/src');
  /** By the account that calls a gateway, how many upstreams it uses. @type {Map<string, number>} */
  const used = new Map();
  /** @param {number} count of upstreams that it uses @param {string} [without] */
  const start = async (count, without) => {
    const account = await insertAccount(database.pool, { balancePicos: BALANCE_PICOS });
    used.set(account.accountId, count);
    return startGateway(bench, engine, database, account, {
      UPSTREAMS: JSON.stringify(upstreams),
      ...(without && { NODE_OPTIONS: `--import=${preload}`, CHOICE_WITHOUT_HASH: without }),
    });
  };
  const gateways = {
    'as it is': await start(UPSTREAMS),
    'takes the first': await start(1, 'first'),
    // As many connections to as many upstreams.
    'takes turns': await start(UPSTREAMS, 'turns'),
  };
  // The order of the configuration is that of priorities.
  await database.pool.query('UPDATE serving.upstream_models SET priority = 0');
  await database.pool.query("SELECT pg_notify('serving', '')");
  await sleep(IN_FORCE_MILLIS);
  const names = /** @type {(keyof typeof gateways)[]} */ (Object.keys(gateways));
  console.log(
    `\nChoosing among ${UPSTREAMS} upstreams: ${rounds - 1} rounds of about ${seconds} s for each gateway, after one to warm up.`,
  );
  /** @type {import('../measuring/report.mjs').Verdict[]} */
  const verdicts = [];
  for (const load of LOADS) {
    /** @type {Record<keyof typeof gateways, Measurement[]>} */
    const measured = { 'as it is': [], 'takes the first': [], 'takes turns': [] };
    const amounts = new Map();
    for (const name of names) {
      const { amount, faults } = await warmUp(gateways[name], load, seconds, bench.signal);
      if (faults.length > 0) return faults;
      amounts.set(name, amount);
    }
    for (let round = 2; round <= rounds; round += 1)
      for (const name of names) {
        const one = await applyLoad(gateways[name], load, amounts.get(name), bench.signal);
        if (one.faults.length > 0) return one.faults;
        measured[name].push(one);
      }
    printRows(describeLoad(load), [
      ['', 'calls a second', 'processor ms a call', 'p50 ms'],
      ...names.map((name) => [
        name,
        figure(median(measured[name].map(({ perSecond }) => perSecond)), 0),
        figure(median(measured[name].map(({ cpuMs }) => cpuMs)), 4),
        figure(median(measured[name].map(({ p50Ms }) => p50Ms)), 2),
      ]),
    ]);
    for (const other of names.slice(1))
      verdicts.push({
        what: `${describeLoad(load)}, processor time per call, as it is / ${other}`,
        value: median(
          measured['as it is'].map(({ cpuMs }, round) => cpuMs / (measured[other][round]?.cpuMs ?? NaN)),
        ),
        ...{ unit: '×', digits: 3 },
      });
  }
  printVerdicts(verdicts);
  for (const gateway of Object.values(gateways)) await gateway.stop();
  const { rows } = await database.pool.query(
    'SELECT account_id, count(DISTINCT upstream)::int AS count FROM metering.usage_events GROUP BY account_id',
  );
  return /** @type {{ account_id: string, count: number }[]} */ (rows)
    .filter(({ account_id: id, count }) => count !== used.get(id))
    .map(({ account_id: id, count }) => `a gateway has used ${count} upstreams in place of ${used.get(id)}`);
}
