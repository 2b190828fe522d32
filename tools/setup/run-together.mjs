import { spawn } from 'node:child_process';
import os from 'node:os';

/**
 * Runs npm scripts side by side, at most one for each core, in the order of the arguments:
 *
 *   node tools/setup/run-together.mjs lint:code lint:format
 *
 * Prints the output of each script when it has ended. Exits with 1 if one of them fails; the others run to their end.
 */

/** More room for new objects than the default of 16 MB, which a linter fills at once. */
const NODE_OPTIONS = [process.env.NODE_OPTIONS, '--max-semi-space-size=64'].filter(Boolean).join(' ');

/** @param {string} script @returns {Promise<boolean>} whether it succeeded */
function run(script) {
  const startedAt = Date.now();
  const child = spawn('npm', ['run', '--silent', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
      console.log(`${code === 0 ? 'ok' : 'FAILED'}  ${script} (${seconds} s)\n${output}`.trimEnd());
      resolve(code === 0);
    });
  });
}

const waiting = process.argv.slice(2);

/** Runs waiting scripts one after another. */
async function work() {
  for (let script = waiting.shift(); script !== undefined; script = waiting.shift())
    if (!(await run(script))) process.exitCode = 1;
}

await Promise.all(Array.from({ length: os.availableParallelism() }, work));
