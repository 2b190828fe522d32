import { parseArgs } from 'node:util';
import { onOrphaned } from '../launcher/parent.mjs';
import { benchAgent } from './agent.mjs';
import { benchDownloads } from './downloads.mjs';
import { benchGateway } from './gateway.mjs';
import { benchGuesses } from './guesses.mjs';
import { benchMemo } from './memo.mjs';
import { benchSettlement } from './settlement.mjs';
import { Workbench } from './workbench.mjs';

/** `npm run bench -- <benchmark>`; exits with 0 when everything that was sent was answered and booked, whatever the speed. */

const USAGE = `Usage: npm run bench -- <benchmark> [options]

Benchmarks
  gateway      the gateway beside its upstream, a bare proxy and another gateway; then settlement
  settlement   usage events per second into PostgreSQL
  guesses      how many of 10,000 guessed passwords and codes are looked at
  downloads    a file of many gigabytes through the console's own link, beside nginx
  agent        many streams of the agent beside those of a bare server; how long the first word takes
  memo         how well and how fast passages are found, beside other ways to find them; folders that are named behind it
               hold questions with their answers, in BEIR's layout

Options
  --rounds N               rounds per load, the first of which is a warm-up that does not count; 2 to 99 (5)
  --seconds N              about how long a round is, for each contender; 0.2 to 600 (4)
  --settlement-seconds N   how long settlement is measured; 0.2 to 600 (10)
  --gigabytes N            how large the downloaded file is; 0.1 to 1000 (5)
  --streams N              how many streams the agent serves at once, at most; 1 to 5000 (2000)
  --tokens-per-second N    of each of them; 1 to 100 (20)
  --passages N,N,…         how many passages are searched for the time it takes; 100 to 1000000 (1000,10000,100000)
`;

const BENCHMARKS = {
  gateway: [benchGateway, benchSettlement],
  settlement: [benchSettlement],
  guesses: [benchGuesses],
  downloads: [benchDownloads],
  agent: [benchAgent],
  memo: [benchMemo],
};

const LIMITS = {
  rounds: [2, 99],
  seconds: [0.2, 600],
  'settlement-seconds': [0.2, 600],
  gigabytes: [0.1, 1000],
  streams: [1, 5000],
  'tokens-per-second': [1, 100],
};
const PASSAGES = [100, 1_000_000];
const WHOLE = ['rounds', 'streams', 'tokens-per-second'];

/** @returns {{ benchmarks: Function[], options: Record<string, number> }} throws what is wrong with the arguments */
function readArguments(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '4' },
      'settlement-seconds': { type: 'string', default: '10' },
      gigabytes: { type: 'string', default: '5' },
      streams: { type: 'string', default: '2000' },
      'tokens-per-second': { type: 'string', default: '20' },
      passages: { type: 'string', default: '1000,10000,100000' },
    },
  });
  const [name, ...folders] = positionals;
  if (!name || (folders.length > 0 && name !== 'memo')) throw new Error('Name one benchmark.');
  if (!Object.hasOwn(BENCHMARKS, name)) throw new Error(`There is no benchmark ${JSON.stringify(name)}.`);
  for (const [option, [min, max]] of Object.entries(LIMITS)) {
    const value = Number(values[option]);
    if (!(value >= min && value <= max)) throw new Error(`--${option} must be between ${min} and ${max}.`);
  }
  const broken = WHOLE.find((option) => !/^\d+$/.test(values[option]));
  if (broken) throw new Error(`--${broken} must be a whole number.`);
  const passages = values.passages.split(',').map(Number);
  const [min, max] = PASSAGES;
  if (!passages.every((count) => Number.isInteger(count) && count >= min && count <= max))
    throw new Error(`--passages must be whole numbers between ${min} and ${max}, with commas in between.`);
  return {
    benchmarks: BENCHMARKS[name],
    options: {
      rounds: Number(values.rounds),
      seconds: Number(values.seconds),
      settlementSeconds: Number(values['settlement-seconds']),
      gigabytes: Number(values.gigabytes),
      streams: Number(values.streams),
      tokensPerSecond: Number(values['tokens-per-second']),
      passages,
      folders,
    },
  };
}

/** Thrown into whatever is going on when somebody wants the run to end. */
class StopRequested extends Error {}

/** @returns {Promise<string[]>} what was not as it must be */
async function run({ benchmarks, options }) {
  const control = new AbortController();
  const stop = (why) => control.abort(new StopRequested(why));
  const signals = { SIGINT: 'Ctrl-C', SIGTERM: 'SIGTERM', SIGHUP: 'Terminal closed' };
  for (const [signal, why] of Object.entries(signals)) process.on(signal, () => stop(why));
  process.stdout.on('error', () => undefined);
  onOrphaned(() => stop('npm has ended'));

  const bench = new Workbench(control.signal);
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

let order;
try {
  order = readArguments(process.argv.slice(2));
} catch (error) {
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
if (order) {
  try {
    const faults = await run(order);
    if (faults.length > 0) {
      console.error(`\nFailed:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
      process.exitCode = 1;
    }
  } catch (error) {
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
