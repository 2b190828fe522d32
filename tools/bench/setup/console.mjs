import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { nodeOptionsOf } from '../../launcher/processes/child-processes.mjs';
import { findFreePort } from '../../setup/ports.mjs';
import { roleUrl } from './database.mjs';
import { root } from './workbench.mjs';

function newSigningKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: 'bench' };
}

/**
 * Starts a built console behind a local proxy, with the default rate limits.
 * @param {import('./workbench.mjs').Workbench} bench
 * @param {import('./database.mjs').Database} database
 * @param {NodeJS.ProcessEnv} environment added to the required variables; with `DATABASE_URL` the role keeps its password
 * @param {string} [folder] of another built checkout
 * @returns {Promise<import('./workbench.mjs').Started>}
 */
export async function startConsole(bench, database, environment = {}, folder = root) {
  const port = await findFreePort();
  /** Of services that the benchmarks do not need: the discard port, on which no process listens. */
  const elsewhere = 'http://127.0.0.1:9';
  const env = {
    SITE: 'intl',
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'warn',
    DATABASE_URL: environment.DATABASE_URL ?? (await roleUrl(database, 'console')),
    API_KEY_HASH_SECRET: randomBytes(32).toString('hex'),
    ENCRYPTION_KEYS: randomBytes(32).toString('hex'),
    UPSTREAM_ENCRYPTION_KEYS: randomBytes(32).toString('hex'),
    SESSION_SIGNING_KEYS: JSON.stringify([newSigningKey()]),
    DOWNLOAD_LINK_SECRETS: randomBytes(32).toString('hex'),
    CONSOLE_URL: `http://127.0.0.1:${port}`,
    GATEWAY_URL: elsewhere,
    TRAINING_URL: elsewhere,
    ROUTER_URL: elsewhere,
    AGENT_URL: elsewhere,
    MEMO_URL: elsewhere,
    TRUST_PROXY: 'loopback',
    RATE_LIMIT_MULTIPLIER: '1',
    ...environment,
  };
  const args = [...nodeOptionsOf('console'), 'dist/apps/console/src/main.js'];
  return bench.start({ name: 'console', args, env, port, probe: '/healthz', cwd: folder });
}
