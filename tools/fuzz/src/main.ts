import { parseArgs } from 'node:util';
import { type Findings } from './findings';
import { Fuzzer } from './fuzzer';
import { startPlatform } from './site/platform';

/**
 * `npm run fuzz -- --requests N --seed N`: starts a site of its own and sends requests that follow from its API documents. Exits
 * with 1 if an answer is a fault of the service or differs from the documents.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } });
  const requests = wholeNumber('--requests', values.requests ?? '20000');
  const seed = wholeNumber('--seed', values.seed ?? String(Date.now() % 1_000_000));
  const platform = await startPlatform();
  try {
    const onProgress = ({ sent, requestsPerSecond }: Findings) =>
      process.stderr.write(`\r${sent} of ${requests}, ${requestsPerSecond} a second`);
    const findings = await new Fuzzer(platform).run({ requests, seed, onProgress });
    console.log(`\n${findings.describe(seed)}`);
    if (findings.faults.size > 0) process.exitCode = 1;
  } finally {
    await platform.stop();
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  console.error(`${name} must be a whole number, not ${text}`);
  process.exit(2);
}

void main();
