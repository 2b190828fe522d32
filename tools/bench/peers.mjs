import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ending } from '../launcher/children.mjs';

/** What only the benchmark needs, installed beside it at its first run: see peers/package.json. */

const folder = fileURLToPath(new URL('peers/', import.meta.url));
export { folder as peersFolder };
const stampFile = path.join(folder, 'node_modules/.install-stamp');

/** The npm that called this script, or else the one on the PATH. */
function npmCommand() {
  const caller = process.env.npm_execpath ?? '';
  return /^npm/.test(path.basename(caller)) ? [process.execPath, caller] : ['npm'];
}

/** @param {AbortSignal} signal */
export async function installPeers(signal) {
  const lock = fs.readFileSync(path.join(folder, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  if (fs.existsSync(stampFile) && fs.readFileSync(stampFile, 'utf8') === wanted) return;
  console.log(
    'Installing what the benchmark compares with, and its load generator, into tools/bench/peers …',
  );
  const [command, ...args] = npmCommand();
  // None of them needs its install scripts.
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

/** @returns {import('autocannon')} */
export const loadAutocannon = () => createRequire(path.join(folder, 'package.json'))('autocannon');

export const PORTKEY_ENTRY = path.join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
