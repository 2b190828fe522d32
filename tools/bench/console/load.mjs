import { processorTimeMs, processTreeTimeMs } from '../measuring/process-usage.mjs';
import { percentile } from '../measuring/report.mjs';
import { ConsoleClient } from './console-client.mjs';

/**
 * @import { Contender } from './contenders.mjs'
 * @import { MeasuredRequest } from './requests.mjs'
 *
 * @typedef {object} Measurement
 * @property {number} perSecond
 * @property {number} p50Ms until the last byte
 * @property {number} p99Ms
 * @property {number} cpuMs processor time of the console's process per request; NaN if it cannot be read
 * @property {number} postgresCpuMs of all processes of PostgreSQL
 */

export const CONNECTIONS = 16;
const SHOWN_CHARS = 90;

/**
 * Sends a request again and again over CONNECTIONS connections.
 * @param {Contender} contender
 * @param {MeasuredRequest} request
 * @param {{ seconds: number, signal: AbortSignal, postgresPid: number }} options
 * @returns {Promise<{ measured: Measurement, faults: string[] }>}
 */
export async function applyLoad(contender, request, { seconds, signal, postgresPid }) {
  /** @type {number[]} */
  const latenciesMs = [];
  /** @type {Set<string>} */
  const faults = new Set();
  const clients = Array.from({ length: CONNECTIONS }, () => new ConsoleClient(contender.url));
  const cpuBefore = processorTimeMs(contender.pid);
  const postgresBefore = processTreeTimeMs(postgresPid);
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const send = async (/** @type {ConsoleClient} */ client) => {
    do {
      signal.throwIfAborted();
      const sentAt = performance.now();
      const { status, text } = await contender.send(client, request);
      latenciesMs.push(performance.now() - sentAt);
      if (status !== 200) faults.add(`${request.name}: ${status} ${text.slice(0, SHOWN_CHARS)}`);
    } while (faults.size === 0 && performance.now() < endsAt);
  };
  await Promise.all(clients.map(send));
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const cpuMs = processorTimeMs(contender.pid) - cpuBefore;
  const postgresCpuMs = processTreeTimeMs(postgresPid) - postgresBefore;
  await Promise.all(clients.map((client) => client.close()));
  latenciesMs.sort((a, b) => a - b);
  const count = latenciesMs.length;
  return {
    measured: {
      perSecond: count / elapsedSeconds,
      p50Ms: percentile(latenciesMs, 0.5),
      p99Ms: percentile(latenciesMs, 0.99),
      cpuMs: cpuMs / count,
      postgresCpuMs: postgresCpuMs / count,
    },
    faults: [...faults].map((fault) => `${contender.label}, ${fault}`),
  };
}
