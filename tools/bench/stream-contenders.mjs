import { randomBytes } from 'node:crypto';
import { findFreePort } from './contenders.mjs';
import { product } from './database.mjs';

/**
 * @typedef {object} StreamContender
 * @property {import('./workbench.mjs').Started} server that is measured
 * @property {import('./workbench.mjs').Started} producer of the tokens, the same process or another one
 * @property {(stream: number) => string} pathOf where a stream is asked for
 * @property {Record<string, string>} headers
 * @property {string} end in the last frame of a stream that is whole
 */

/** So that their memory can be looked at. */
const PROBED = ['--expose-gc', '--import', new URL('memory-probe.mjs', import.meta.url).href];

/** @param {'events' | 'completions'} speaks */
async function startStreams(bench, speaks, perSecond) {
  const port = await findFreePort();
  const env = { PORT: String(port), SPEAKS: speaks, PER_SECOND: String(perSecond) };
  const args = [...PROBED, 'tools/bench/streams-server.mjs'];
  return bench.start({ name: `streams-${speaks}`, args, env, port, probe: '/healthz' });
}

async function startBare({ bench, perSecond }) {
  const server = await startStreams(bench, 'events', perSecond);
  return { server, producer: server, pathOf: () => '/', headers: {}, end: 'turn.completed' };
}

async function startProxy({ bench, perSecond }) {
  const producer = await startStreams(bench, 'completions', perSecond);
  const port = await findFreePort();
  const env = { PORT: String(port), UPSTREAM: producer.url };
  const args = [...PROBED, 'tools/bench/proxy.mjs'];
  const server = await bench.start({ name: 'proxy', args, env, port, probe: '/healthz' });
  return { server, producer, pathOf: () => '/v1/chat/completions', headers: {}, end: '[DONE]' };
}

/** With everything on, and a gateway behind it that does nothing but to produce. */
async function startAgentOnStreams({ bench, perSecond, databaseUrl, account }) {
  const producer = await startStreams(bench, 'completions', perSecond);
  const server = await startAgent(bench, { databaseUrl, gatewayUrl: producer.url, args: PROBED });
  const session = randomBytes(8).toString('hex');
  return {
    ...{ server, producer, end: 'turn.completed' },
    pathOf: (stream) => `/v1/agents/sessions/${session}-${stream}/events/stream`,
    headers: { authorization: `Bearer ${account.apiKey}` },
  };
}

/** A built agent as an operator runs it. @returns {Promise<import('./workbench.mjs').Started>} */
export async function startAgent(bench, { databaseUrl, gatewayUrl, credential, args = [] }) {
  const port = await findFreePort();
  const env = {
    SITE: 'intl',
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'info',
    DATABASE_URL: databaseUrl,
    // Sessions are not accepted here, so nobody is asked for their public keys.
    CONSOLE_URL: 'http://127.0.0.1:9',
    API_KEY_HASH_SECRET: product('libs/testing/src').TEST_API_KEY_HASH_SECRET,
    GATEWAY_URL: gatewayUrl,
    GATEWAY_CREDENTIAL: credential ?? randomBytes(32).toString('hex'),
    DEFAULT_MODEL: 'sandbox-chat',
  };
  const command = ['--enable-source-maps', ...args, 'dist/apps/agent/src/main.js'];
  return bench.start({ name: 'agent', args: command, env, port, probe: '/healthz' });
}

/**
 * In the order of their turns. `start` answers with a StreamContender: each turn has new processes, so that their memory
 * begins at the same place.
 */
export const STREAM_CONTENDERS = [
  { key: 'bare', label: '(a) bare Node server', start: startBare },
  { key: 'agent', label: '(b) our agent', start: startAgentOnStreams },
  { key: 'proxy', label: '(c) bare Node proxy', start: startProxy },
];
