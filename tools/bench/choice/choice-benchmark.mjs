import fs from 'node:fs';
import { figure, percentile, printRows } from '../measuring/report.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';

/**
 * Replays recorded conversations in virtual time at servers with caches of prefixes, by the gateway's choice and by others.
 *
 * @import { BenchOptions, Workbench } from '../setup/workbench.mjs'
 * @import { Candidate } from '../../../apps/gateway/src/upstreams/choice/chooser.ts'
 *
 * @typedef {{ at: number, output: number, blocks: number[] }} Call `at` in milliseconds; blocks of the prompt by their content
 * @typedef {Candidate & { cache: Map<number, true>, calls: number }} Server
 * @typedef {(servers: Server[], call: Call, now: number) => Server} Policy
 * @typedef {{ name: string, found: number, firstByte: number[], loads: number[], calls: number[] }} Outcome
 */

const SERVERS = [2, 4, 8, 16];
/** How many times as fast as they were recorded, for each server: 30 to 40 calls run on each. */
const SPEED_PER_SERVER = 4;
/** A million tokens in blocks of 512, as one accelerator holds of a middling model. */
const CACHED_BLOCKS = 2_000;
const BLOCK_TOKENS = 512;
const READ_TOKENS_PER_SECOND = 20_000;
const WRITTEN_TOKENS_PER_SECOND = 40;
/**
 * Blocks that stand for what the gateway hashes: the account and 512 characters of each message up to the first one of the user, which a
 * trace of blocks does not tell.
 */
const HASHED_BLOCKS = 2;
const WEIGHT = 100;

/** @param {string} file lines of JSON with `timestamp` in milliseconds, `output_length` in tokens and `hash_ids` @returns {Call[]} */
const readTrace = (file) =>
  fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { timestamp, output_length: output, hash_ids: blocks } = JSON.parse(line);
      return { at: timestamp, output, blocks };
    })
    .sort((one, other) => one.at - other.at);

/** @returns {Record<string, () => Policy>} */
function policies() {
  const { choose, isCandidate } = loadBuilt('apps/gateway/src/upstreams/choice/chooser');
  const { seedOf, uniform } = loadBuilt('apps/gateway/src/upstreams/choice/prefix-hash');
  /** @param {Call} call */
  const keyOf = ({ blocks }) => seedOf(blocks.slice(0, HASHED_BLOCKS).join());
  return {
    'the gateway': () => (servers, call, now) => {
      const choice = choose(servers, keyOf(call), now);
      if (isCandidate(choice)) return choice;
      throw new Error(`No server was chosen: ${choice.reason}.`);
    },
    'round robin': () => {
      let turn = 0;
      return (servers) => /** @type {Server} */ (servers[turn++ % servers.length]);
    },
    'least loaded': () => (servers) =>
      servers.reduce((least, server) => (server.load.running < least.load.running ? server : least)),
    'pure hash': () => (servers, call) =>
      /** @type {Server} */ (servers[Math.floor(uniform(keyOf(call), 1) * servers.length)]),
  };
}

/** @param {number} count @returns {Server[]} */
export function serversOf(count) {
  const { UpstreamLoad } = loadBuilt('apps/gateway/src/upstreams/choice/chooser');
  const { Circuit } = loadBuilt('apps/gateway/src/upstreams/choice/circuit');
  const { seedOf } = loadBuilt('apps/gateway/src/upstreams/choice/prefix-hash');
  return Array.from({ length: count }, (_, index) => ({
    seed: seedOf(`gpu-${index}`),
    weight: WEIGHT,
    priority: 0,
    load: new UpstreamLoad(),
    circuit: new Circuit(() => 0),
    cache: new Map(),
    calls: 0,
  }));
}

/** How many of the first blocks are in the cache. All are in it afterwards. @param {Server} server @param {Call} call */
function lookUp({ cache }, { blocks }) {
  const missing = blocks.findIndex((block) => !cache.has(block));
  // The newest ones are at the end of the map.
  for (const block of [...blocks].reverse()) {
    cache.delete(block);
    cache.set(block, true);
  }
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHED_BLOCKS) break;
    cache.delete(oldest);
  }
  return missing === -1 ? blocks.length : missing;
}

/** @param {string} name @param {Policy} policy @param {Call[]} calls @param {number} count of servers @returns {Outcome} */
function replay(name, policy, calls, count) {
  const servers = serversOf(count);
  /** Ends of running calls, the next one last. @type {{ at: number, end: () => void }[]} */
  const ends = [];
  let found = 0;
  let all = 0;
  /** @type {number[]} */
  const firstByte = [];
  /** @type {number[]} */
  const loads = [];
  for (const call of calls) {
    const now = call.at / (SPEED_PER_SERVER * count);
    for (let next = ends.at(-1); next && next.at <= now; next = ends.at(-1)) {
      ends.pop();
      next.end();
    }
    const server = policy(servers, call, now);
    const opening = server.circuit.begin(now);
    server.load.begin(now);
    server.calls++;
    const cached = lookUp(server, call);
    found += cached;
    all += call.blocks.length;
    const reading = (((call.blocks.length - cached) * BLOCK_TOKENS) / READ_TOKENS_PER_SECOND) * 1_000;
    firstByte.push(reading);
    const at = now + reading + (call.output / WRITTEN_TOKENS_PER_SECOND) * 1_000;
    const end = () => {
      server.load.end(at);
      server.circuit.end(at, 'answered', opening);
    };
    let place = ends.length;
    while (place > 0 && /** @type {{ at: number }} */ (ends[place - 1]).at < at) place--;
    ends.splice(place, 0, { at, end });
    const running = servers.map(({ load }) => load.running);
    // One call more or less is much of few.
    const fair = running.reduce((sum, each) => sum + each, 0) / count;
    if (fair >= 10) loads.push(Math.max(...running) / fair);
  }
  const sorted = (/** @type {number[]} */ values) => values.sort((one, other) => one - other);
  return {
    name,
    found: found / all,
    firstByte: sorted(firstByte),
    loads: sorted(loads),
    calls: servers.map((server) => server.calls),
  };
}

/** What one cache without an end would find, in which every prompt stays. @param {Call[]} calls */
function mostFound(calls) {
  const seen = new Set();
  let found = 0;
  let all = 0;
  for (const { blocks } of calls) {
    const missing = blocks.findIndex((block) => !seen.has(block));
    found += missing === -1 ? blocks.length : missing;
    all += blocks.length;
    for (const block of blocks) seen.add(block);
  }
  return found / all;
}

/** @param {Workbench} bench @param {BenchOptions} options @returns {Promise<string[]>} */
export async function benchChoice(bench, { folders: [file] }) {
  if (!file) return ['`choice` needs the file of a trace: see tools/bench/README.md'];
  const calls = readTrace(file);
  console.log(`\nAt most ${figure(mostFound(calls) * 100, 1)} % can be found, in one cache without an end.`);
  for (const count of SERVERS) {
    bench.signal.throwIfAborted();
    const outcomes = Object.entries(policies()).map(([name, policy]) => replay(name, policy(), calls, count));
    printRows(`${count} servers, ${calls.length} calls`, [
      ['', 'found %', 'read ms p50', 'mean', 'p95', 'load p50', 'p99', 'calls of the busiest'],
      ...outcomes.map(({ name, found, firstByte, loads, calls: byServer }) => [
        name,
        figure(found * 100, 1),
        figure(percentile(firstByte, 0.5), 0),
        figure(firstByte.reduce((sum, each) => sum + each, 0) / firstByte.length, 0),
        figure(percentile(firstByte, 0.95), 0),
        figure(percentile(loads, 0.5), 2),
        figure(percentile(loads, 0.99), 2),
        figure((Math.max(...byServer) * count) / calls.length, 2),
      ]),
    ]);
  }
  return [];
}
