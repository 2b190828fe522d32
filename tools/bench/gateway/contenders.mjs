import { nodeOptionsOf } from '../../launcher/processes/child-processes.mjs';
import { findFreePort } from '../../setup/ports.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { BALANCE_PICOS, createDatabase } from '../setup/database.mjs';
import { PORTKEY_ENTRY } from '../setup/peer-packages.mjs';
import { root } from '../setup/workbench.mjs';

/**
 * @import { TestAccount } from '../../../libs/testing/src/index.ts'
 * @import { Database } from '../setup/database.mjs'
 * @import { Workbench } from '../setup/workbench.mjs'
 *
 * @typedef {object} Contender
 * @property {'engine' | 'proxy' | 'gateway' | 'portkey' | 'other'} key
 * @property {string} label
 * @property {number} pid
 * @property {string} url
 * @property {Record<string, string>} headers that its requests need
 * @property {() => Promise<void>} stop
 */

/** @param {Workbench} bench @returns {Promise<Contender>} */
export async function startEngine(bench) {
  const port = await findFreePort();
  const args = ['dist/tools/sandbox-engine/src/main.js', '--port', String(port)];
  const started = await bench.start({ name: 'engine', args, env: {}, port, probe: '/healthz' });
  return { ...started, key: 'engine', label: '(a) upstream itself', headers: {} };
}

/** @param {Workbench} bench @param {Contender} engine @returns {Promise<Contender>} */
async function startProxy(bench, engine) {
  const port = await findFreePort();
  const env = { PORT: String(port), UPSTREAM: engine.url };
  const args = ['tools/bench/setup/proxy-process.mjs'];
  const started = await bench.start({ name: 'proxy', args, env, port, probe: '/healthz' });
  return { ...started, key: 'proxy', label: '(b) bare Node proxy', headers: {} };
}

/**
 * Starts the gateway with authentication, admission control, metering, durable settlement and logs.
 * @param {Workbench} bench
 * @param {Contender} engine
 * @param {Database} database
 * @param {TestAccount} account
 * @param {NodeJS.ProcessEnv} environment added to the required variables
 * @param {string} [folder] of another built checkout
 * @returns {Promise<Contender>}
 */
export async function startGateway(bench, engine, database, account, environment = {}, folder = root) {
  const port = await findFreePort();
  const env = {
    SITE: 'intl',
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'info',
    DATABASE_URL: database.gatewayUrl,
    // Not used: the requests carry API keys, not sessions that the console signs.
    CONSOLE_URL: 'http://127.0.0.1:9',
    API_KEY_HASH_SECRET: loadBuilt('libs/testing/src').TEST_API_KEY_HASH_SECRET,
    UPSTREAM_ENCRYPTION_KEYS: loadBuilt('libs/testing/src').TEST_UPSTREAM_ENCRYPTION_KEY,
    // A benchmark starts gateways one after another, each with an engine of its own.
    UPSTREAMS_APPLY: 'until_changed',
    // Gateways of one database all call the engine of the one that started last.
    UPSTREAM_PRIVATE_NETWORKS: 'allowed',
    UPSTREAMS: JSON.stringify([{ name: 'sandbox', base_url: `${engine.url}/v1` }]),
    ...environment,
  };
  const args = [...nodeOptionsOf('gateway'), 'dist/apps/gateway/src/main.js'];
  const started = await bench.start({ name: 'gateway', args, env, port, probe: '/healthz', cwd: folder });
  const headers = { authorization: `Bearer ${account.apiKey}` };
  return { ...started, key: 'gateway', label: '(c) our gateway', headers };
}

/** Starts Portkey without its log page, as in production. @param {Workbench} bench @param {Contender} engine @returns {Promise<Contender>} */
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

/**
 * Starts the gateway of another built checkout, with a database of its own: its migrations may be others.
 * @param {Workbench} bench
 * @param {Contender} engine
 * @param {string} folder
 * @returns {Promise<Contender>}
 */
async function startOtherGateway(bench, engine, folder) {
  const database = await createDatabase(bench, 'other_gateway_bench', folder);
  const account = await loadBuilt('libs/testing/src', folder).insertAccount(database.pool, {
    balancePicos: BALANCE_PICOS,
  });
  const gateway = await startGateway(bench, engine, database, account, {}, folder);
  return { ...gateway, key: 'other', label: '(e) other build' };
}

/**
 * @param {Workbench} bench
 * @param {Database} database
 * @param {TestAccount} account
 * @param {object} options
 * @param {number} options.workers processes of the gateway
 * @param {string} [options.against] the folder of another built checkout, whose gateway takes part
 * @returns {Promise<[engine: Contender, ...others: Contender[]]>} in the order of their turns; the engine is the upstream of
 *   the others
 */
export async function startContenders(bench, database, account, { workers, against }) {
  const engine = await startEngine(bench);
  return [
    engine,
    await startProxy(bench, engine),
    await startGateway(bench, engine, database, account, { GATEWAY_WORKERS: String(workers) }),
    await startPortkey(bench, engine),
    ...(against === undefined ? [] : [await startOtherGateway(bench, engine, against)]),
  ];
}
