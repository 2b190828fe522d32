import path from 'node:path';
import { parseArgs } from 'node:util';
import { onOrphaned } from '../launcher/processes/npm-parent.mjs';
import { messageOf } from '../setup/errors.mjs';
import { benchAgent } from './agent/agent-benchmark.mjs';
import { benchChoice } from './choice/choice-benchmark.mjs';
import { benchChoosing } from './choice/choosing-benchmark.mjs';
import { benchConsole } from './console/console-benchmark.mjs';
import { benchDownloads } from './downloads/downloads-benchmark.mjs';
import { benchFirstPaint } from './first-paint/first-paint-benchmark.mjs';
import { benchGateway } from './gateway/gateway-benchmark.mjs';
import { benchRefusals } from './gateway/refusals-benchmark.mjs';
import { benchTranslation } from './gateway/translation-benchmark.mjs';
import { benchImages } from './images/images-benchmark.mjs';
import { benchLoginThrottle } from './login-throttle/login-throttle-benchmark.mjs';
import { benchMemory } from './memory/memory-benchmark.mjs';
import { benchMemo } from './memo/memo-benchmark.mjs';
import { benchDashboard } from './reports/dashboard-benchmark.mjs';
import { benchReports } from './reports/reports-benchmark.mjs';
import { benchScale } from './scale/scale-benchmark.mjs';
import { benchSettlement } from './settlement/settlement-benchmark.mjs';
import { Workbench } from './setup/workbench.mjs';

/** `npm run bench -- <benchmark>`. The exit code is 0 if all requests were answered and recorded, whatever the speed. */

/** @import { Benchmark, BenchOptions } from './setup/workbench.mjs' */

const USAGE = `Usage: npm run bench -- <benchmark> [options]

Benchmarks
  gateway          compares the gateway with its upstream, a minimal proxy and another gateway; then runs settlement
  translation      what Responses and Messages take beside chat completions of the same upstream
  refusals         processor time that recording refused calls adds to them
  settlement       usage events per second that PostgreSQL settles
  scale            calls per second of several gateway processes over accounts, and their waits for locks
  choice           processor time of choosing among upstreams; the hash and the choice alone
  choice <trace>   how many prefixes recorded conversations find in the caches of servers, by the choice of the gateway and others
  login-throttle   how many of 10,000 wrong passwords and codes are evaluated
  downloads        compares downloads of a large file from the console with nginx
  console          the console under load among many accounts: speed, and plans of its statements
  reports          cost reports of all accounts over a month of millions of rows
  dashboard        the dashboard of the staff over a month of millions of rows
  first-paint      how soon Chromium shows the console's overview
  images           how soon each image that npm run images has built is ready, and its memory
  memory           whether the memory of the services grows under a mixed load
  agent            compares concurrent streams of the agent with a minimal server; time to the first delta
  memo <folder>…   quality and speed of search, compared with other search engines; each folder holds a collection of
                   questions and relevant documents in the layout of BEIR

Options
  --against FOLDER         another built checkout of the product, whose gateway or console is compared
  --limited-keys           the keys of this build's gateway and scale have limits, which no load reaches
  --rounds N               rounds per load, including one warm-up round that does not count; 2 to 99 (5)
  --seconds N              approximate duration of a round for each contender; 0.2 to 600 (4)
  --settlement-seconds N   duration of the settlement benchmark; 0.2 to 600 (10)
  --workers N              processes of the gateway in the benchmark of that name; 1 to 64 (1)
  --minutes N              duration of the mixed load; 0.5 to 10000 (60)
  --gigabytes N            size of the downloaded file; 0.1 to 1000 (5)
  --streams N              maximum of concurrent streams of the agent; 1 to 5000 (1000)
  --tokens-per-second N    of each stream; 1 to 100 (20)
  --passages N,N,…         numbers of passages to measure the speed of search with; 100 to 1000000 (1000,10000,100000)
  --accounts N             of the console; 1000 to 10000000 (20000)
  --entries N              of the console's ledger; 100000 to 1000000000 (2000000)
  --processes N,N,…        numbers of gateway processes of scale; 1 to 64 (1,2,4)
  --rows N,N,…             numbers of rows of the hourly rollup; 10000 to 100000000 (1000000,10000000)
`;

/** @type {Record<string, Benchmark[]>} */
const BENCHMARKS = {
  gateway: [benchGateway, benchSettlement],
  scale: [benchScale],
  choice: [(bench, options) => (options.folders.length > 0 ? benchChoice : benchChoosing)(bench, options)],
  translation: [benchTranslation],
  refusals: [benchRefusals],
  settlement: [benchSettlement],
  'login-throttle': [benchLoginThrottle],
  downloads: [benchDownloads],
  console: [benchConsole],
  'first-paint': [benchFirstPaint],
  images: [benchImages],
  memory: [benchMemory],
  reports: [benchReports],
  dashboard: [benchDashboard],
  agent: [benchAgent],
  memo: [benchMemo],
};

/** Benchmarks in which another build can take part. */
const COMPARABLE = ['gateway', 'console', 'scale'];
/** Benchmarks in which keys with limits can be used. */
const LIMITABLE = ['gateway', 'scale'];

/** @type {[option: 'rounds' | 'seconds' | 'settlement-seconds' | 'workers' | 'minutes' | 'gigabytes' | 'streams' | 'tokens-per-second' | 'accounts' | 'entries', min: number, max: number][]} */
const LIMITS = [
  ['rounds', 2, 99],
  ['seconds', 0.2, 600],
  ['settlement-seconds', 0.2, 600],
  ['workers', 1, 64],
  ['minutes', 0.5, 10_000],
  ['gigabytes', 0.1, 1000],
  ['streams', 1, 5000],
  ['tokens-per-second', 1, 100],
  ['accounts', 1_000, 10_000_000],
  ['entries', 100_000, 1_000_000_000],
];
const MIN_PASSAGES = 100;
const MAX_PASSAGES = 1_000_000;
const MIN_ROWS = 10_000;
const MAX_ROWS = 100_000_000;
const MAX_PROCESSES = 64;
/** @type {('rounds' | 'workers' | 'streams' | 'tokens-per-second' | 'accounts' | 'entries')[]} */
const WHOLE = ['rounds', 'workers', 'streams', 'tokens-per-second', 'accounts', 'entries'];

/** @param {string} option @param {string} text @param {number} min @param {number} max @returns {number[]} */
function readNumbers(option, text, min, max) {
  const numbers = text.split(',').map(Number);
  if (numbers.every((number) => Number.isInteger(number) && number >= min && number <= max)) return numbers;
  throw new Error(`--${option} must be whole numbers between ${min} and ${max}, separated by commas.`);
}

/** @param {string[]} args @returns {{ benchmarks: Benchmark[], options: BenchOptions }} @throws if they are invalid */
function readArguments(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '4' },
      'settlement-seconds': { type: 'string', default: '10' },
      workers: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '60' },
      gigabytes: { type: 'string', default: '5' },
      streams: { type: 'string', default: '1000' },
      'tokens-per-second': { type: 'string', default: '20' },
      accounts: { type: 'string', default: '20000' },
      entries: { type: 'string', default: '2000000' },
      passages: { type: 'string', default: '1000,10000,100000' },
      rows: { type: 'string', default: '1000000,10000000' },
      processes: { type: 'string', default: '1,2,4' },
      against: { type: 'string' },
      'limited-keys': { type: 'boolean', default: false },
    },
  });
  const [name, ...folders] = positionals;
  if (values.against !== undefined && !COMPARABLE.includes(name ?? ''))
    throw new Error(`--against is for ${COMPARABLE.join(' and ')} only.`);
  if (values['limited-keys'] && !LIMITABLE.includes(name ?? ''))
    throw new Error(`--limited-keys is for ${LIMITABLE.join(' and ')} only.`);
  if (!name || (folders.length > 0 && !['memo', 'choice'].includes(name)))
    throw new Error('Name one benchmark.');
  const benchmarks = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (!benchmarks) throw new Error(`There is no benchmark ${JSON.stringify(name)}.`);
  for (const [option, min, max] of LIMITS) {
    const value = Number(values[option]);
    if (!(value >= min && value <= max)) throw new Error(`--${option} must be between ${min} and ${max}.`);
  }
  const fractional = WHOLE.find((option) => !/^\d+$/.test(values[option]));
  if (fractional) throw new Error(`--${fractional} must be a whole number.`);
  const passages = readNumbers('passages', values.passages, MIN_PASSAGES, MAX_PASSAGES);
  const rows = readNumbers('rows', values.rows, MIN_ROWS, MAX_ROWS);
  const processes = readNumbers('processes', values.processes, 1, MAX_PROCESSES);
  return {
    benchmarks,
    options: {
      rounds: Number(values.rounds),
      seconds: Number(values.seconds),
      settlementSeconds: Number(values['settlement-seconds']),
      workers: Number(values.workers),
      minutes: Number(values.minutes),
      gigabytes: Number(values.gigabytes),
      streams: Number(values.streams),
      tokensPerSecond: Number(values['tokens-per-second']),
      accounts: Number(values.accounts),
      entries: Number(values.entries),
      passages,
      rows,
      processes,
      folders,
      against: values.against === undefined ? undefined : path.resolve(values.against),
      limitedKeys: values['limited-keys'],
    },
  };
}

/** The reason of an abort that is no failure. */
class StopRequested extends Error {}

/** @param {ReturnType<typeof readArguments>} command @returns {Promise<string[]>} failures */
async function run({ benchmarks, options }) {
  const control = new AbortController();
  const stop = (/** @type {string} */ why) => control.abort(new StopRequested(why));
  const signals = { SIGINT: 'Ctrl-C', SIGTERM: 'SIGTERM', SIGHUP: 'Terminal closed' };
  for (const [signal, why] of Object.entries(signals)) process.on(signal, () => stop(why));
  process.stdout.on('error', () => undefined);
  onOrphaned(() => stop('npm has ended'));

  const bench = new Workbench(control.signal);
  /** @type {string[]} */
  const faults = [];
  try {
    await bench.open();
    for (const benchmark of benchmarks) faults.push(...(await benchmark(bench, options)));
  } catch (error) {
    const reason = control.signal.aborted ? control.signal.reason : error;
    if (!(reason instanceof StopRequested)) throw reason;
    faults.push(`stopped: ${reason.message}`);
  } finally {
    await bench.close();
  }
  return faults;
}

/** @type {ReturnType<typeof readArguments> | undefined} */
let command;
try {
  command = readArguments(process.argv.slice(2));
} catch (error) {
  console.error(`${messageOf(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
if (command) {
  try {
    const faults = await run(command);
    if (faults.length > 0) {
      console.error(`\nFailed:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
      process.exitCode = 1;
    }
  } catch (error) {
    console.error(`\n${messageOf(error)}`);
    process.exitCode = 1;
  }
}
