import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { startEngine, startGateway } from './contenders.mjs';
import { figure, median, percentile, printRows } from './report.mjs';
import { startAgent } from './stream-contenders.mjs';

const WARM_UP = 50;
const REQUESTS = 300;
const SAID = 'hello there, how are you today';
/** The first text that is not empty, in a frame of the agent's and in a chunk of the gateway's alike. */
const FIRST_TEXT = /"content":"[^"]/;

/**
 * Sends one request and reads its answer to the end.
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
        const isWhole = /turn\.completed|\[DONE\]/.test(text);
        if (isWhole && millis > 0) resolve(millis);
        else reject(new Error(`${response.statusCode} ${text.slice(0, 200)}`));
      });
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}

function requestsTo(gateway, agent, account) {
  const authorization = `Bearer ${account.apiKey}`;
  const run = randomBytes(8).toString('hex');
  return {
    gateway: () => ({
      url: `${gateway.url}/v1/chat/completions`,
      headers: { authorization },
      body: { model: 'sandbox-chat', stream: true, messages: [{ role: 'user', content: SAID }] },
    }),
    // A session of its own each time, so that the model is told the same.
    agent: (n) => ({
      url: `${agent.url}/v1/agents/sessions/${run}-${n}/events/stream`,
      headers: { authorization },
      body: { role: 'user', content: SAID },
    }),
  };
}

function print(millis) {
  const rows = [
    ['(a) our gateway', millis.gateway],
    ['(b) our agent, which asks it', millis.agent],
  ].map(([label, values]) => {
    const sorted = Float64Array.from(values).sort();
    return [label, figure(percentile(sorted, 0.5), 2), figure(percentile(sorted, 0.99), 2)];
  });
  printRows(`First delta, ${REQUESTS} requests each, one after another`, [['', 'p50 ms', 'p99 ms'], ...rows]);
}

/**
 * How long the agent makes its callers wait for the first word, beside the same question to the gateway.
 * @returns {Promise<{ addedP50Ms?: number, faults: string[] }>}
 */
export async function measureFirstDelta(bench, { database, databaseUrl, account }) {
  const credential = randomBytes(32).toString('hex');
  const engine = await startEngine(bench);
  const gateway = await startGateway(bench, engine, database, account, { AGENT_CREDENTIALS: credential });
  const agent = await startAgent(bench, { databaseUrl, gatewayUrl: gateway.url, credential });
  const requests = Object.entries(requestsTo(gateway, agent, account));
  const connection = new http.Agent({ keepAlive: true });
  const millis = { gateway: [], agent: [] };
  try {
    for (let n = -WARM_UP; n < REQUESTS; n += 1) {
      for (const [key, requestOf] of requests) {
        bench.signal.throwIfAborted();
        const value = await timeToText(connection, requestOf(n + WARM_UP));
        if (n >= 0) millis[key].push(value);
      }
    }
  } catch (error) {
    bench.signal.throwIfAborted();
    return { faults: [`first delta: ${error.message}`] };
  } finally {
    connection.destroy();
    for (const service of [agent, gateway, engine]) await service.stop();
  }
  print(millis);
  return { addedP50Ms: median(millis.agent.map((value, n) => value - millis.gateway[n])), faults: [] };
}
