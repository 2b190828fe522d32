import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { messageOf } from '../../setup/errors.mjs';
import { startEngine, startGateway } from '../gateway/contenders.mjs';
import { figure, median, percentile, printRows } from '../measuring/report.mjs';
import { startAgent } from './contenders.mjs';

/** Requests of each kind. The first ones do not count: a service in operation runs compiled code. */
const WARM_UP = 1_500;
const REQUESTS = 300;
const PROMPT = 'hello there, how are you today';
/** Matches the first text that is not empty, in an event of the agent and in a chunk of the gateway. */
const FIRST_TEXT = /"content":"[^"]/;

/**
 * @import { Workbench } from '../setup/workbench.mjs'
 *
 * @typedef {{ url: string, headers: Record<string, string>, body: object }} Request
 * @typedef {Record<'gateway' | 'agent', number[]>} Millis
 */

/**
 * Sends one request and reads its response to the end.
 * @param {http.Agent} connection
 * @param {Request} request
 * @returns {Promise<number>} milliseconds until the first text
 */
function timeToText(connection, { url, headers, body }) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const options = {
      method: 'POST',
      agent: connection,
      headers: { 'content-type': 'application/json', ...headers },
    };
    const request = http.request(url, options, (response) => {
      let text = '';
      let millis = NaN;
      response.setEncoding('utf8').on('error', reject);
      response.on('data', (chunk) => {
        text += chunk;
        if (Number.isNaN(millis) && FIRST_TEXT.test(text)) millis = performance.now() - startedAt;
      });
      response.on('end', () => {
        const isComplete = /turn\.completed|\[DONE\]/.test(text);
        if (isComplete && millis > 0) resolve(millis);
        else reject(new Error(`${response.statusCode} ${text.slice(0, 200)}`));
      });
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}

/**
 * @param {{ url: string }} gateway
 * @param {{ url: string }} agent
 * @param {{ apiKey: string }} account
 * @returns {{ key: keyof Millis, requestOf: (n: number) => Request }[]}
 */
function requestsTo(gateway, agent, account) {
  const authorization = `Bearer ${account.apiKey}`;
  const run = randomBytes(8).toString('hex');
  return [
    {
      key: 'gateway',
      requestOf: () => ({
        url: `${gateway.url}/v1/chat/completions`,
        headers: { authorization },
        body: { model: 'sandbox-chat', stream: true, messages: [{ role: 'user', content: PROMPT }] },
      }),
    },
    {
      key: 'agent',
      // A new session for each request, so that the model always gets the same prompt.
      requestOf: (n) => ({
        url: `${agent.url}/v1/agents/sessions/${run}-${n}/events/stream`,
        headers: { authorization },
        body: { role: 'user', content: PROMPT },
      }),
    },
  ];
}

/** @param {Millis} millis */
function print(millis) {
  const rows = [
    { label: '(a) our gateway', values: millis.gateway },
    { label: '(b) our agent, which calls it', values: millis.agent },
  ].map(({ label, values }) => {
    const sorted = Float64Array.from(values).sort();
    return [label, figure(percentile(sorted, 0.5), 2), figure(percentile(sorted, 0.99), 2)];
  });
  printRows(`First delta, ${REQUESTS} requests each, one after another`, [['', 'p50 ms', 'p99 ms'], ...rows]);
}

/**
 * Measures how much longer the first delta takes from the agent than from the gateway.
 * @param {Workbench} bench
 * @param {{ database: import('../setup/database.mjs').Database, databaseUrl: string,
 *   account: import('../../../libs/testing/src/index.ts').TestAccount }} site
 * @returns {Promise<{ addedP50Ms?: number, faults: string[] }>}
 */
export async function measureFirstDelta(bench, { database, databaseUrl, account }) {
  const credential = randomBytes(32).toString('hex');
  const engine = await startEngine(bench);
  const gateway = await startGateway(bench, engine, database, account, { AGENT_CREDENTIALS: credential });
  const agent = await startAgent(bench, { databaseUrl, gatewayUrl: gateway.url, credential });
  const requests = requestsTo(gateway, agent, account);
  const connection = new http.Agent({ keepAlive: true });
  /** @type {Millis} */
  const millis = { gateway: [], agent: [] };
  try {
    for (let n = -WARM_UP; n < REQUESTS; n += 1) {
      for (const { key, requestOf } of requests) {
        bench.signal.throwIfAborted();
        const value = await timeToText(connection, requestOf(n + WARM_UP));
        if (n >= 0) millis[key].push(value);
      }
    }
  } catch (error) {
    bench.signal.throwIfAborted();
    return { faults: [`first delta: ${messageOf(error)}`] };
  } finally {
    connection.destroy();
    for (const service of [agent, gateway, engine]) await service.stop();
  }
  print(millis);
  const added = millis.agent.map((value, n) => value - (millis.gateway[n] ?? NaN));
  return { addedP50Ms: median(added), faults: [] };
}
