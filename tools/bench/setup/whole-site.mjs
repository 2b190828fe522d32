import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * A site that `npm start` runs, with sandboxes of outside systems.
 *
 * @import { Started, Workbench } from './workbench.mjs'
 * @typedef {{ identifier: string, password: string, apiKey: string }} Account
 * @typedef {object} Platform what `npm start` writes into platform.json
 * @property {Record<'console' | 'training' | 'routerCost' | 'agent' | 'memo' | 'agentEnvironments' | 'gateway', string>} urls
 * @property {{ demo: Account, admin: Account }} accounts
 * @property {{ workspaceId: string, apiKey: string }} memo
 * @property {{ url: string }} database
 * @property {{ payments: string }} sandbox
 */

/** The ports of a site, which nothing else of a machine with defaults uses. */
const PORT_BASE = 26_500;
/** A start makes a database and all accounts first. */
const SEEDED_DEADLINE_MS = 120_000;

/** @param {string} file @param {AbortSignal} signal */
async function untilWritten(file, signal) {
  for (const deadline = Date.now() + SEEDED_DEADLINE_MS; !existsSync(file);) {
    signal.throwIfAborted();
    if (Date.now() > deadline) throw new Error(`${file} was not written.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @param {Workbench} bench @returns {Promise<{ launcher: Started, platform: Platform }>} */
export async function startWholeSite(bench) {
  const dataDir = path.join(bench.dir, 'site');
  const launcher = await bench.start({
    name: 'site',
    args: ['tools/launcher/start.mjs'],
    env: { NODE_ENV: '', DATA_DIR: dataDir, PORT_BASE: String(PORT_BASE), LOG_LEVEL: 'warn' },
    port: PORT_BASE,
    probe: '/healthz',
    deadlineMs: SEEDED_DEADLINE_MS,
  });
  const file = path.join(dataDir, 'platform.json');
  await untilWritten(file, bench.signal);
  return { launcher, platform: JSON.parse(readFileSync(file, 'utf8')) };
}
