import net from 'node:net';
import { product } from './database.mjs';
import { PORTKEY_ENTRY } from './peers.mjs';

/**
 * @typedef {object} Contender
 * @property {'engine' | 'proxy' | 'gateway' | 'portkey'} key
 * @property {string} label
 * @property {number} pid
 * @property {string} url
 * @property {Record<string, string>} headers that its requests need
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<number>} a port nobody listens on at this moment */
export function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export async function startEngine(bench) {
  const port = await findFreePort();
  const args = ['dist/tools/sandbox-engine/src/main.js', '--port', String(port)];
  const started = await bench.start({ name: 'engine', args, env: {}, port, probe: '/healthz' });
  return { ...started, key: 'engine', label: '(a) upstream itself', headers: {} };
}

async function startProxy(bench, engine) {
  const port = await findFreePort();
  const env = { PORT: String(port), UPSTREAM: engine.url };
  const args = ['tools/bench/proxy.mjs'];
  const started = await bench.start({ name: 'proxy', args, env, port, probe: '/healthz' });
  return { ...started, key: 'proxy', label: '(b) bare Node proxy', headers: {} };
}

/**
 * With everything on: authentication, admission, metering, durable billing, logs.
 * @param {NodeJS.ProcessEnv} environment of its configuration, beside what every gateway needs
 */
export async function startGateway(bench, engine, database, account, environment = {}) {
  const port = await findFreePort();
  const env = {
    SITE: 'intl',
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'info',
    DATABASE_URL: database.gatewayUrl,
    // Sessions are not accepted here, so nobody is asked for their public keys.
    CONSOLE_URL: 'http://127.0.0.1:9',
    API_KEY_HASH_SECRET: product('libs/testing/src').TEST_API_KEY_HASH_SECRET,
    UPSTREAMS: JSON.stringify([{ name: 'sandbox', base_url: `${engine.url}/v1` }]),
    ...environment,
  };
  const args = ['--enable-source-maps', 'dist/apps/gateway/src/main.js'];
  const started = await bench.start({ name: 'gateway', args, env, port, probe: '/healthz' });
  const headers = { authorization: `Bearer ${account.apiKey}` };
  return { ...started, key: 'gateway', label: '(c) our gateway', headers };
}

/** Without its log page, which it keeps out of production itself. */
async function startPortkey(bench, engine) {
  const port = await findFreePort();
  const args = [PORTKEY_ENTRY, '--headless', `--port=${port}`];
  const started = await bench.start({ name: 'portkey', args, env: {}, port, probe: '/' });
  const headers = {
    authorization: 'Bearer not-checked',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${engine.url}/v1`,
  };
  return { ...started, key: 'portkey', label: '(d) Portkey 1.15.2', headers };
}

/** @returns {Promise<Contender[]>} in the order of their turns; all ask the first one */
export async function startContenders(bench, database, account) {
  const engine = await startEngine(bench);
  return [
    engine,
    await startProxy(bench, engine),
    await startGateway(bench, engine, database, account),
    await startPortkey(bench, engine),
  ];
}
