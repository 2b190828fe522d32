import { setTimeout as sleep } from 'node:timers/promises';
import { ask, nextMessage } from '../setup/child-messages.mjs';
import { processTreeTimeMs, processorTimeMs, residentBytes } from '../measuring/process-usage.mjs';

/**
 * @import { Site, StreamContender } from './contenders.mjs'
 * @import { Reading, StreamRequest } from './stream-reader-process.mjs'
 *
 * @typedef {object} StreamMeasurement
 * @property {number} tokensPerSecond that arrived
 * @property {number} eventsPerSecond that contained them
 * @property {number} p50Ms delay from the creation of a token to its arrival
 * @property {number} p99Ms
 * @property {number} maxMs
 * @property {number} cpu processors that the contender's process used; NaN if they cannot be read
 * @property {number} postgresCpu processors that PostgreSQL used
 * @property {number} residentKb growth of the resident memory for each stream
 * @property {number} heapKb growth of heap and buffers for each stream, after a garbage collection
 * @property {number} openedPerSecond streams
 */

const WARM_UP = { streams: 50, seconds: 1 };
/** Time before and after the measurement, with all streams open. */
const SETTLE_SECONDS = 2;
const TAIL_SECONDS = 0.5;
const KILOBYTE = 1000;

/**
 * @param {Site} site
 * @param {{ key: string, start: (site: Site) => Promise<StreamContender> }} contender
 * @param {number} streams
 * @returns {Promise<{ measurement?: StreamMeasurement, faults: string[] }>}
 */
export async function measureStreams(site, { key, start }, streams) {
  const contender = await start(site);
  try {
    const before = await warmUp(site, contender);
    const run = await openStreams(site, contender, streams);
    if (run.faults) return { faults: run.faults };
    const finished = go(site, contender, SETTLE_SECONDS + site.seconds + TAIL_SECONDS);
    await sleep((SETTLE_SECONDS * 1000) / 2, undefined, { signal: site.bench.signal });
    /** @type {NodeJS.MemoryUsage} */
    const full = await ask(site.bench, contender.server.child, 'memory');
    await sleep((SETTLE_SECONDS * 1000) / 2, undefined, { signal: site.bench.signal });
    const used = await watch(site, contender.server.pid);
    const reading = await finished;
    const faults = [...reading.faults, ...(await compare(contender, reading.received))];
    /** @param {number} bytes */
    const perStreamKb = (bytes) => bytes / KILOBYTE / streams;
    const measurement = {
      tokensPerSecond: reading.tokens / reading.seconds,
      eventsPerSecond: reading.events / reading.seconds,
      ...{ p50Ms: reading.p50Ms, p99Ms: reading.p99Ms, maxMs: reading.maxMs },
      cpu: used.cpu,
      postgresCpu: key === 'agent' ? used.postgresCpu : NaN,
      residentKb: perStreamKb(used.residentBytes - before.rss),
      heapKb: perStreamKb(held(full) - held(before)),
      openedPerSecond: run.openedPerSecond,
    };
    return { measurement, faults };
  } finally {
    await contender.server.stop();
    await contender.producer.stop();
  }
}

/** @param {NodeJS.MemoryUsage} usage @returns {number} bytes */
const held = ({ heapUsed, external }) => heapUsed + external;

/**
 * Runs some streams, after which the process has loaded its code and opened its connections.
 * @param {Site} site
 * @param {StreamContender} contender
 * @returns {Promise<NodeJS.MemoryUsage>} after the warm-up
 */
async function warmUp(site, contender) {
  const opened = await openStreams(site, contender, WARM_UP.streams);
  if (opened.faults) throw new Error(opened.faults.join('\n'));
  const { faults } = await go(site, contender, WARM_UP.seconds);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return ask(site.bench, contender.server.child, 'memory');
}

let runs = 0;

/** @param {Site} site @param {StreamContender} contender @param {number} streams */
async function openStreams({ bench, readers, seconds, perSecond }, contender, streams) {
  runs += 1;
  const first = SETTLE_SECONDS * perSecond;
  /** @type {StreamRequest} */
  const request = {
    port: Number(new URL(contender.server.url).port),
    paths: Array.from({ length: streams }, (_, stream) => contender.pathOf(`${runs}-${stream}`)),
    headers: { 'content-type': 'application/json', ...contender.headers },
    end: contender.end,
    counted: [first, first + Math.round(seconds * perSecond) - 1],
  };
  const startedAt = performance.now();
  /** @type {{ opened: true, faults?: undefined } | Reading} */
  const { faults } = await ask(bench, readers, request);
  return { faults, openedPerSecond: (streams / (performance.now() - startedAt)) * 1000 };
}

/**
 * @param {Site} site
 * @param {StreamContender} contender
 * @param {number} seconds
 * @returns {Promise<Reading>} at the end of all streams
 */
async function go({ bench, readers, perSecond }, { producer }, seconds) {
  /** @type {Promise<Reading>} */
  const finished = nextMessage(bench, readers);
  // The caller may fail before it awaits the promise, whose rejection would end the process then.
  finished.catch(() => undefined);
  await fetch(`${producer.url}/_go?tokens=${Math.round(seconds * perSecond)}`, { method: 'POST' });
  return finished;
}

/** Measures the contender's process and PostgreSQL while the tokens that count arrive. @param {Site} site @param {number} pid */
async function watch({ bench, seconds }, pid) {
  const startedAt = performance.now();
  const cpuBefore = processorTimeMs(pid);
  const postgresBefore = processTreeTimeMs(bench.postgresPid);
  await sleep(seconds * 1000, undefined, { signal: bench.signal });
  const cpuMs = processorTimeMs(pid) - cpuBefore;
  const postgresMs = processTreeTimeMs(bench.postgresPid) - postgresBefore;
  const millis = performance.now() - startedAt;
  return { cpu: cpuMs / millis, postgresCpu: postgresMs / millis, residentBytes: residentBytes(pid) };
}

/**
 * Checks that every stream has delivered exactly the tokens that were produced for it.
 * @param {StreamContender} contender
 * @param {Reading['received']} received
 */
async function compare({ producer }, received) {
  const response = await fetch(`${producer.url}/_produced`);
  const produced = /** @type {Reading['received']} */ (await response.json());
  const differing = Object.entries(received).filter(
    ([stream, [tokens, checksum]]) => produced[stream]?.[0] !== tokens || produced[stream]?.[1] !== checksum,
  );
  return differing.length === 0 ? [] : [`${differing.length} streams differ from what was produced`];
}
