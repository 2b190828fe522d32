import { randomBytes } from 'node:crypto';
import { nodeOptionsOf } from '../../launcher/processes/child-processes.mjs';
import { findFreePort } from '../../setup/ports.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';

/**
 * @import { Started, Workbench } from '../setup/workbench.mjs'
 *
 * @typedef {object} Site
 * @property {Workbench} bench
 * @property {import('../../../libs/testing/src/index.ts').TestAccount} account
 * @property {string} databaseUrl of the database role of the agent
 * @property {import('node:child_process').ChildProcess} readers
 * @property {number} seconds of a measurement
 * @property {number} perSecond tokens of each stream
 *
 * @typedef {object} StreamContender
 * @property {Started} server that is measured
 * @property {Started} producer of the tokens: the server itself, or its upstream
 * @property {(stream: string) => string} pathOf the request path of a stream
 * @property {Record<string, string>} headers
 * @property {string} end a part of the last event of a complete stream
 */

/** Options of Node that let a server report its memory. */
const PROBED = ['--expose-gc', '--import', new URL('memory-probe.mjs', import.meta.url).href];

/** @param {Workbench} bench @param {'events' | 'completions'} format @param {number} perSecond */
async function startTokenServer(bench, format, perSecond) {
  const port = await findFreePort();
  const env = { PORT: String(port), FORMAT: format, PER_SECOND: String(perSecond) };
  const args = [...PROBED, 'tools/bench/agent/token-server-process.mjs'];
  return bench.start({ name: `tokens-${format}`, args, env, port, probe: '/healthz' });
}

/** @param {Site} site @returns {Promise<StreamContender>} */
async function startBare({ bench, perSecond }) {
  const server = await startTokenServer(bench, 'events', perSecond);
  return { server, producer: server, pathOf: () => '/', headers: {}, end: 'turn.completed' };
}

/** @param {Site} site @returns {Promise<StreamContender>} */
async function startProxy({ bench, perSecond }) {
  const producer = await startTokenServer(bench, 'completions', perSecond);
  const port = await findFreePort();
  const env = { PORT: String(port), UPSTREAM: producer.url };
  const args = [...PROBED, 'tools/bench/setup/proxy-process.mjs'];
  const server = await bench.start({ name: 'proxy', args, env, port, probe: '/healthz' });
  return { server, producer, pathOf: () => '/v1/chat/completions', headers: {}, end: '[DONE]' };
}

/**
 * Starts the agent in production configuration. A token server replaces the gateway.
 * @param {Site} site
 * @returns {Promise<StreamContender>}
 */
async function startAgentOnTokenServer({ bench, perSecond, databaseUrl, account }) {
  const producer = await startTokenServer(bench, 'completions', perSecond);
  const server = await startAgent(bench, { databaseUrl, gatewayUrl: producer.url, args: PROBED });
  const session = randomBytes(8).toString('hex');
  return {
    ...{ server, producer, end: 'turn.completed' },
    pathOf: (stream) => `/v1/agents/sessions/${session}-${stream}/events/stream`,
    headers: { authorization: `Bearer ${account.apiKey}` },
  };
}

/**
 * Starts a built agent in production configuration.
 * @param {Workbench} bench
 * @param {{ databaseUrl: string, gatewayUrl: string, credential?: string, args?: string[] }} options `args`: for Node
 * @returns {Promise<Started>}
 */
export async function startAgent(bench, { databaseUrl, gatewayUrl, credential, args = [] }) {
  const port = await findFreePort();
  const env = {
    SITE: 'intl',
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'info',
    DATABASE_URL: databaseUrl,
    // Not used: the requests carry API keys, not sessions that the console signs.
    CONSOLE_URL: 'http://127.0.0.1:9',
    API_KEY_HASH_SECRET: loadBuilt('libs/testing/src').TEST_API_KEY_HASH_SECRET,
    GATEWAY_URL: gatewayUrl,
    GATEWAY_CREDENTIAL: credential ?? randomBytes(32).toString('hex'),
    DEFAULT_MODEL: 'sandbox-chat',
  };
  const command = [...nodeOptionsOf('agent'), ...args, 'dist/apps/agent/src/main.js'];
  return bench.start({ name: 'agent', args: command, env, port, probe: '/healthz' });
}

/**
 * In the order of their turns. Each turn starts new processes, so that all measurements of memory start at the same point.
 * @type {{ key: 'bare' | 'agent' | 'proxy', label: string, start: (site: Site) => Promise<StreamContender> }[]}
 */
export const STREAM_CONTENDERS = [
  { key: 'bare', label: '(a) bare Node server', start: startBare },
  { key: 'agent', label: '(b) our agent', start: startAgentOnTokenServer },
  { key: 'proxy', label: '(c) bare Node proxy', start: startProxy },
];
