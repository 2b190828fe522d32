import { parseArgs } from 'node:util';
import { type Findings } from './findings';
import { Fuzzer } from './fuzzer';
import { type Platform, startPlatform } from './site/platform';
import { MOST_STALL_MILLIS } from './site/stall-log';
import { describeStalls, isFault } from './worst/stall-table';
import { type Outcome, type Selection, WorstRequests } from './worst/worst-requests';

/**
 * `npm run fuzz -- --requests N --seed N`: starts a site of its own and sends requests that follow from its API documents. Exits
 * with 1 if an answer is a fault of the service or differs from the documents, or a turn of an event loop took too long.
 *
 * `--worst` sends each operation the worst requests that its limits admit instead, and prints for how long each held the thread of its
 * service; with `--whole-bodies` only those that the test sends.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string' },
      seed: { type: 'string' },
      worst: { type: 'boolean' },
      'whole-bodies': { type: 'boolean' },
    },
  });
  const requests = wholeNumber('--requests', values.requests ?? '20000');
  const seed = wholeNumber('--seed', values.seed ?? String(Date.now() % 1_000_000));
  const platform = await startPlatform();
  try {
    if (values.worst) return await sendWorst(platform, values['whole-bodies'] ? 'whole bodies' : undefined);
    const onProgress = ({ sent, requestsPerSecond }: Findings) =>
      process.stderr.write(`\r${sent} of ${requests}, ${requestsPerSecond} a second`);
    const findings = await new Fuzzer(platform).run({ requests, seed, onProgress });
    console.log(`\n${findings.describe(seed)}`);
    if (findings.faults.size > 0 || findings.stalls.size > 0) process.exitCode = 1;
  } finally {
    await platform.stop();
  }
}

async function sendWorst(platform: Platform, selection?: Selection): Promise<void> {
  const outcomes: Outcome[] = [];
  const onOutcome = (outcome: Outcome) => {
    outcomes.push(outcome);
    process.stderr.write(`\r${outcomes.length} requests`);
  };
  await new WorstRequests(platform).run(onOutcome, selection);
  console.log(`\n${describeStalls(outcomes)}`);
  if (outcomes.some((outcome) => isFault(outcome) || outcome.stallMillis > MOST_STALL_MILLIS))
    process.exitCode = 1;
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  console.error(`${name} must be a whole number, not ${text}`);
  process.exit(2);
}

void main();
