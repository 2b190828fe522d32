import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ending } from '../../launcher/processes/child-processes.mjs';

/** The packages that only the benchmarks need, which the first run installs: see peers/package.json. */

const folder = fileURLToPath(new URL('../peers/', import.meta.url));
export { folder as peersFolder };
const stampFile = path.join(folder, 'node_modules/.install-stamp');

/** The npm that runs this script, otherwise the one on the PATH. @returns {[command: string, ...args: string[]]} */
function npmCommand() {
  const caller = process.env.npm_execpath ?? '';
  return /^npm/.test(path.basename(caller)) ? [process.execPath, caller] : ['npm'];
}

/** @param {AbortSignal} signal */
export async function installPeers(signal) {
  const lock = fs.readFileSync(path.join(folder, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  if (fs.existsSync(stampFile) && fs.readFileSync(stampFile, 'utf8') === wanted) return;
  console.log('Installing the load generator and the compared products into tools/bench/peers …');
  const [command, ...args] = npmCommand();
  // None of the packages needs its install scripts.
  const child = spawn(command, [...args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    env: { ...process.env, npm_config_local_prefix: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
    signal,
  });
  const end = await ending(child);
  signal.throwIfAborted();
  if (end !== 'exit code 0') throw new Error(`npm ci in ${folder} failed (${end}).`);
  fs.writeFileSync(stampFile, wanted);
}

/**
 * The part of autocannon that the benchmarks use. Its own types are not installed with the product.
 *
 * @typedef {{ statusCodeStats?: Record<string, { count: number }>, mismatches: number, errors: number }} AutocannonResult
 * @typedef {object} AutocannonInstance
 * @property {(event: 'response', listener: (client: object, status: number, bytes: number, latencyMs: number) => void) =>
 *   void} on
 * @property {() => void} stop
 * @typedef {(options: object, callback: (error: Error | null, result: AutocannonResult) => void) => AutocannonInstance}
 *   Autocannon
 */

/** @returns {Autocannon} */
export const loadAutocannon = () => createRequire(path.join(folder, 'package.json'))('autocannon');

export const PORTKEY_ENTRY = path.join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
