import { completeness, requestBody } from '../gateway/load.mjs';
import { loadAutocannon } from '../setup/peer-packages.mjs';

/**
 * A process that sends calls to one gateway on command, so that several together are not in the way.
 *
 * @typedef {{ url: string, keys: string[], streamed: boolean, connections: number, seconds: number }} Order
 * @typedef {{ answers: number, faults: number }} Report
 */

/** How long after the end of the time the last answers are waited for. */
const TIMEOUT_SECONDS = 30;

process.on('message', (/** @type {Order} */ { url, keys, streamed, connections, seconds }) => {
  const load = { streamed, connections };
  const body = requestBody(load);
  let answers = 0;
  const options = {
    url: `${url}/v1/chat/completions`,
    method: 'POST',
    connections,
    duration: seconds,
    timeout: TIMEOUT_SECONDS,
    verifyBody: completeness(load),
    requests: keys.map((key) => ({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body,
    })),
  };
  const instance = loadAutocannon()(options, (error, result) => {
    const not200 = error ? 1 : answers - (result.statusCodeStats?.[200]?.count ?? 0);
    process.send?.({ answers, faults: not200 + (error ? 0 : result.mismatches + result.errors) });
  });
  instance.on('response', () => (answers += 1));
});
// Between two orders nothing else keeps the process alive.
process.channel?.ref();
process.send?.('ready');
