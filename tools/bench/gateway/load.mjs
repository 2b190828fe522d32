import { loadAutocannon } from '../setup/peer-packages.mjs';
import { processTreeTimeMs } from '../measuring/process-usage.mjs';
import { percentile } from '../measuring/report.mjs';

const MAX_TOKENS = 16;

/**
 * @import { AutocannonResult } from '../setup/peer-packages.mjs'
 * @import { Measurement } from '../measuring/report.mjs'
 *
 * @typedef {{ streamed: boolean, connections: number, prompts?: number }} Load `prompts`: how many different ones; absent: one
 */

const SAMPLE_MS = 20;
const REQUEST_TIMEOUT_SECONDS = 30;
/** Connection errors after which a load is aborted. */
const MAX_ERRORS = 100;

/** @param {Load} load @param {number} [prompt] its number */
export const requestBody = ({ streamed }, prompt) =>
  JSON.stringify({
    model: 'sandbox-chat',
    max_tokens: MAX_TOKENS,
    ...(streamed ? { stream: true } : {}),
    messages: [
      { role: 'user', content: `${prompt === undefined ? '' : `${prompt}: `}hello there, how are you today` },
    ],
  });

/** @param {Load} load @returns {(body: string) => boolean} whether a response is complete */
export function completeness({ streamed }) {
  if (streamed)
    return (body) => body.endsWith('data: [DONE]\n\n') && body.includes('"finish_reason":"length"');
  return (body) => {
    try {
      return JSON.parse(body).usage.completion_tokens === MAX_TOKENS;
    } catch {
      return false;
    }
  };
}

/**
 * Describes the failures of a run. A response that breaks off is only visible in the number of responses.
 * @param {{ result: AutocannonResult, answers: number, amount: number }} run
 */
function faultsOf({ result, answers, amount }) {
  const counts = {
    'not 200': answers - (result.statusCodeStats?.[200]?.count ?? 0),
    'not complete': result.mismatches,
    'connection errors and timeouts': result.errors,
    'never ended': amount - answers,
  };
  return Object.entries(counts)
    .filter(([, count]) => count !== 0)
    .map(([what, count]) => `${count} of ${amount} responses: ${what}`);
}

/**
 * Sends exactly `amount` requests, so that none is in progress at the end.
 * @param {import('./contenders.mjs').Contender} contender
 * @param {Load} load
 * @param {number} amount at least one for each connection
 * @param {AbortSignal} signal
 * @returns {Promise<Measurement>}
 */
export async function applyLoad(contender, load, amount, signal) {
  signal.throwIfAborted();
  const autocannon = loadAutocannon();
  /** @type {number[]} */
  const latencies = [];
  const cpuBefore = processTreeTimeMs(contender.pid);
  const startedAt = performance.now();
  let endedAt = startedAt;
  const options = {
    url: `${contender.url}/v1/chat/completions`,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...contender.headers },
    body: requestBody(load),
    ...(load.prompts && {
      requests: Array.from({ length: load.prompts }, (_, prompt) => ({ body: requestBody(load, prompt) })),
    }),
    connections: load.connections,
    amount,
    sampleInt: SAMPLE_MS,
    timeout: REQUEST_TIMEOUT_SECONDS,
    bailout: MAX_ERRORS,
    verifyBody: completeness(load),
  };
  let stop = () => {};
  /** @type {AutocannonResult} */
  const result = await new Promise((resolve, reject) => {
    const instance = autocannon(options, (error, value) => (error ? reject(error) : resolve(value)));
    instance.on('response', (_client, _status, _bytes, latencyMs) => {
      latencies.push(latencyMs);
      endedAt = performance.now();
    });
    stop = () => instance.stop();
    signal.addEventListener('abort', stop);
  });
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  latencies.sort((a, b) => a - b);
  return {
    requests: amount,
    perSecond: (latencies.length / (endedAt - startedAt)) * 1000,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    cpuMs: (processTreeTimeMs(contender.pid) - cpuBefore) / amount,
    faults: faultsOf({ result, answers: latencies.length, amount }).map(
      (fault) => `${contender.label}, ${describeLoad(load)}: ${fault}`,
    ),
  };
}

/** @param {Load} load */
export const describeLoad = ({ streamed, connections }) =>
  `${streamed ? 'SSE' : 'JSON'}, ${connections} connection${connections === 1 ? '' : 's'}`;
