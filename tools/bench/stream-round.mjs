import { setTimeout as sleep } from 'node:timers/promises';
import { ask, nextMessage } from './conversation.mjs';
import { familyTimeMs, processorTimeMs, residentBytes } from './process-usage.mjs';

/**
 * @typedef {object} StreamMeasurement
 * @property {number} tokensPerSecond that arrived
 * @property {number} framesPerSecond that brought them
 * @property {number} p50Ms from the moment in which a token was produced to its arrival
 * @property {number} p99Ms
 * @property {number} maxMs
 * @property {number} cpu processors that the contender's own process took; NaN where it cannot be read
 * @property {number} postgresCpu the same of PostgreSQL
 * @property {number} residentKb of memory for each stream
 * @property {number} heapKb the same of the heap and of buffers, without what is garbage
 * @property {number} openedPerSecond streams
 */

const WARM_UP = { streams: 50, seconds: 1 };
/** Before and after what counts, with all streams open. */
const SETTLE_SECONDS = 2;
const TAIL_SECONDS = 0.5;
const KILOBYTE = 1000;

/** @param {{ key: string, start: Function }} contender @param {number} streams */
export async function measureStreams(site, { key, start }, streams) {
  const contender = await start(site);
  try {
    const before = await warmUp(site, contender);
    const run = await openStreams(site, contender, streams);
    if (run.faults) return { faults: run.faults };
    const finished = go(site, contender, SETTLE_SECONDS + site.seconds + TAIL_SECONDS);
    await sleep((SETTLE_SECONDS * 1000) / 2, undefined, { signal: site.bench.signal });
    const full = await ask(site.bench, contender.server.child, 'memory');
    await sleep((SETTLE_SECONDS * 1000) / 2, undefined, { signal: site.bench.signal });
    const used = await watch(site, contender.server.pid);
    const reading = await finished;
    const faults = [...reading.faults, ...(await compare(contender, reading.received))];
    const perStreamKb = (bytes) => bytes / KILOBYTE / streams;
    const measurement = {
      tokensPerSecond: reading.tokens / reading.seconds,
      framesPerSecond: reading.frames / reading.seconds,
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

const held = ({ heapUsed, external }) => heapUsed + external;

/** Some streams, so that what the process needs once and for all is there. @returns {Promise<NodeJS.MemoryUsage>} after it */
async function warmUp(site, contender) {
  const opened = await openStreams(site, contender, WARM_UP.streams);
  if (opened.faults) throw new Error(opened.faults.join('\n'));
  const { faults } = await go(site, contender, WARM_UP.seconds);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return ask(site.bench, contender.server.child, 'memory');
}

let runs = 0;

async function openStreams({ bench, readers, seconds, perSecond }, contender, streams) {
  runs += 1;
  const first = SETTLE_SECONDS * perSecond;
  const order = {
    port: Number(new URL(contender.server.url).port),
    paths: Array.from({ length: streams }, (_, stream) => contender.pathOf(`${runs}-${stream}`)),
    headers: { 'content-type': 'application/json', ...contender.headers },
    end: contender.end,
    counted: [first, first + Math.round(seconds * perSecond) - 1],
  };
  const startedAt = performance.now();
  const { faults } = await ask(bench, readers, order);
  return { faults, openedPerSecond: (streams / (performance.now() - startedAt)) * 1000 };
}

/** @returns {Promise<import('./stream-readers.mjs').Reading>} at the end of all streams */
async function go({ bench, readers, perSecond }, { producer }, seconds) {
  const finished = nextMessage(bench, readers);
  // Whoever awaits it may have failed by then.
  finished.catch(() => undefined);
  await fetch(`${producer.url}/_go?tokens=${Math.round(seconds * perSecond)}`, { method: 'POST' });
  return finished;
}

/** What the process and PostgreSQL take while the tokens arrive that count. */
async function watch({ bench, seconds }, pid) {
  const startedAt = performance.now();
  const before = [processorTimeMs(pid), familyTimeMs(bench.postgresPid)];
  await sleep(seconds * 1000, undefined, { signal: bench.signal });
  const after = [processorTimeMs(pid), familyTimeMs(bench.postgresPid)];
  const millis = performance.now() - startedAt;
  const [cpu, postgresCpu] = after.map((value, index) => (value - before[index]) / millis);
  return { cpu, postgresCpu, residentBytes: residentBytes(pid) };
}

/** Every stream has brought what was produced for it, and no more. */
async function compare({ producer }, received) {
  const produced = await (await fetch(`${producer.url}/_produced`)).json();
  const differing = Object.entries(received).filter(
    ([stream, [tokens, checksum]]) => produced[stream]?.[0] !== tokens || produced[stream][1] !== checksum,
  );
  return differing.length === 0 ? [] : [`${differing.length} streams brought another text than was produced`];
}
