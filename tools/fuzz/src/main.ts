import { parseArgs } from 'node:util';
import { type Findings } from './findings';
import { Fuzzer } from './fuzzer';
import { type Platform, startPlatform } from './site/platform';
import { mostStallMillis } from './site/stall-log';
import { describeStalls, isFault } from './worst/stall-table';
import { type Outcome, type Selection, WorstRequests } from './worst/worst-requests';

/**
 * `npm run fuzz -- --requests N --seed N`: starts a site of its own and sends requests that follow from its API documents. Exits
 * with 1 if an answer is a fault of the service or differs from the documents, or a turn of an event loop took too long.
 *
 * `--worst` sends each operation the worst requests that its limits admit instead, and prints for how long each held the thread of its
 * service; with `--whole-bodies` only those that the test sends, with `--sound-bodies` only sound ones of the largest size, with
 * `--service gateway` only to this one.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string' },
      seed: { type: 'string' },
      worst: { type: 'boolean' },
      'whole-bodies': { type: 'boolean' },
      'sound-bodies': { type: 'boolean' },
      service: { type: 'string' },
    },
  });
  const requests = wholeNumber('--requests', values.requests ?? '20000');
  const seed = wholeNumber('--seed', values.seed ?? String(Date.now() % 1_000_000));
  const platform = await startPlatform();
  try {
    const selection = values['sound-bodies']
      ? 'sound bodies'
      : values['whole-bodies']
        ? 'whole bodies'
        : undefined;
    if (values.worst) return await sendWorst(platform, selection, values.service);
    const onProgress = ({ sent, requestsPerSecond }: Findings) =>
      process.stderr.write(`\r${sent} of ${requests}, ${requestsPerSecond} a second`);
    const findings = await new Fuzzer(platform).run({ requests, seed, onProgress });
    console.log(`\n${findings.describe(seed)}`);
    if (findings.faults.size > 0 || findings.stalls.size > 0) process.exitCode = 1;
  } finally {
    await platform.stop();
  }
}

async function sendWorst(platform: Platform, selection?: Selection, service?: string): Promise<void> {
  const outcomes: Outcome[] = [];
  const mostMillis = mostStallMillis();
  const onOutcome = (outcome: Outcome) => {
    outcomes.push(outcome);
    process.stderr.write(`\r${outcomes.length} requests`);
  };
  await new WorstRequests(platform).run(onOutcome, selection, service);
  console.log(`\n${describeStalls(outcomes)}`);
  if (outcomes.some((outcome) => isFault(outcome) || outcome.stallMillis > mostMillis)) process.exitCode = 1;
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  console.error(`${name} must be a whole number, not ${text}`);
  process.exit(2);
}

void main();
