import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ending } from '../../launcher/processes/child-processes.mjs';
import { findProgram, startConsoleOn, startNginxOn } from './file-servers.mjs';
import { processorTimeMs, residentBytes } from '../measuring/process-usage.mjs';
import { figure, median, printRows, printVerdicts } from '../measuring/report.mjs';

const GIGABYTE = 1e9;
const MEGABYTE = 1e6;
const KEY = 'bench_file';
/** Concurrent downloads of each load. */
const READERS = [1, 4];
const RSS_SAMPLE_MS = 50;
/** The file has random blocks, because an exchange of parts that are all zeros would go unnoticed. */
const BLOCK_BYTES = 1_000_003;
const BLOCKS = 100;
const INTERRUPTIONS = 3;
const COMPARED_BYTES = 8 * 2 ** 20;
/** Room for the garbage of fast transfers. A server that keeps the file in memory grows by gigabytes. */
const MAX_GROWTH_MEGABYTES = 128;

/**
 * @import { FileServer } from './file-servers.mjs'
 *
 * @typedef {{ bytesPerSecond: number, cpuSecondsPerGigabyte: number }} Measurement
 * @typedef {Record<FileServer['key'], Measurement[]>} Measurements
 * @typedef {{ readers: number, sizeBytes: number }} Load
 * @typedef {{ load: Load, measurements: Measurements, faults: string[] }} Outcome
 */

/** Creates a sparse file with random blocks. @param {string} folder @param {number} sizeBytes @returns {string} its path */
function makeFile(folder, sizeBytes) {
  const file = path.join(folder, 'packages', KEY);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const descriptor = fs.openSync(file, 'w');
  fs.ftruncateSync(descriptor, sizeBytes);
  const places = Array.from({ length: BLOCKS }, () => randomInt(sizeBytes - BLOCK_BYTES));
  for (const place of [0, sizeBytes - BLOCK_BYTES, ...places])
    fs.writeSync(descriptor, randomBytes(BLOCK_BYTES), 0, BLOCK_BYTES, place);
  fs.closeSync(descriptor);
  return file;
}

class MemoryWatch {
  /** @param {number} pid */
  constructor(pid) {
    this.pid = pid;
    this.before = this.peak = this.after = residentBytes(pid);
    this.timer = setInterval(() => (this.peak = Math.max(this.peak, residentBytes(pid))), RSS_SAMPLE_MS);
  }

  end() {
    clearInterval(this.timer);
    this.after = residentBytes(this.pid);
  }
}

class Curl {
  /** @param {string} program @param {AbortSignal} signal */
  constructor(program, signal) {
    this.program = program;
    this.signal = signal;
  }

  /**
   * Passes the link by standard input, because every user of the machine can read arguments.
   * @param {string} url
   * @param {string[]} options
   */
  start(url, options) {
    this.signal.throwIfAborted();
    const args = ['--config', '-', '--silent', '--show-error', ...options];
    const child = spawn(this.program, args, { stdio: ['pipe', 'pipe', 'pipe'], signal: this.signal });
    child.stdin.on('error', () => undefined);
    child.stdin.end(`url = "${url}"\n`);
    return child;
  }

  /** @param {string} url @param {string[]} options @returns {Promise<string>} status and size, otherwise the error message */
  async run(url, options) {
    const child = this.start(url, [...options, '--write-out', '%{http_code} %{size_download}']);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    await new Promise((resolve) => child.on('close', resolve).on('error', resolve));
    this.signal.throwIfAborted();
    return output;
  }
}

/**
 * Measures concurrent downloads, each by its own process.
 * @param {Curl} curl
 * @param {FileServer} server
 * @param {Load} load
 * @returns {Promise<{ measurement: Measurement, faults: string[] }>}
 */
async function measure(curl, server, { readers, sizeBytes }) {
  const cpuBefore = processorTimeMs(server.pid);
  const startedAt = performance.now();
  const all = Array.from({ length: readers }, () => curl.run(server.url, ['--output', '/dev/null']));
  const answers = await Promise.all(all);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuSeconds = (processorTimeMs(server.pid) - cpuBefore) / 1000;
  const bytes = readers * sizeBytes;
  return {
    measurement: {
      bytesPerSecond: bytes / seconds,
      cpuSecondsPerGigabyte: cpuSeconds / (bytes / GIGABYTE),
    },
    faults: answers
      .filter((answer) => answer !== `200 ${sizeBytes}`)
      .map((answer) => `${server.label}: a download ended with ${answer}`),
  };
}

/**
 * Measures the servers in turn. The first round is a warm-up.
 * @param {Curl} curl
 * @param {FileServer[]} servers
 * @param {Load} load
 * @param {number} rounds
 * @returns {Promise<Outcome>}
 */
async function takeTurns(curl, servers, load, rounds) {
  /** @type {Measurements} */
  const measurements = { console: [], nginx: [] };
  /** @type {string[]} */
  const faults = [];
  for (let round = 1; round <= rounds && faults.length === 0; round += 1) {
    for (const server of servers) {
      const measured = await measure(curl, server, load);
      if (round > 1) measurements[server.key].push(measured.measurement);
      faults.push(...measured.faults);
    }
  }
  return { load, measurements, faults };
}

/** @param {FileServer[]} servers @param {Outcome} outcome */
function printLoad(servers, { load: { readers }, measurements }) {
  /** @param {FileServer['key']} key @param {keyof Measurement} field */
  const of = (key, field) => median(measurements[key].map((measurement) => measurement[field]));
  const rows = servers.map(({ key, label }) => [
    label,
    figure(of(key, 'bytesPerSecond') / MEGABYTE, 0),
    figure(of(key, 'cpuSecondsPerGigabyte'), 2),
  ]);
  const title = `${readers} download${readers === 1 ? '' : 's'} at once, together`;
  printRows(title, [['', 'MB/s', 'CPU s/GB'], ...rows]);
}

/** @param {string} file @param {number} bytes */
const hasGrownTo = (file, bytes) => fs.existsSync(file) && fs.statSync(file).size >= bytes;

/**
 * Kills a download several times, resumes it, and compares the result with the file.
 * @param {import('../setup/workbench.mjs').Workbench} bench
 * @param {Curl} curl
 * @param {FileServer} server
 * @param {{ file: string, sizeBytes: number }} served
 * @returns {Promise<string[]>} failures
 */
async function resume(bench, curl, server, { file, sizeBytes }) {
  const copy = path.join(bench.dir, 'copy');
  const options = ['--continue-at', '-', '--output', copy];
  /** @type {number[]} */
  const cuts = [];
  for (let cut = 1; cut <= INTERRUPTIONS; cut += 1) {
    const child = curl.start(server.url, options);
    const ended = ending(child);
    const timer = setInterval(() => {
      if (hasGrownTo(copy, (sizeBytes * cut) / (INTERRUPTIONS + 1))) child.kill('SIGKILL');
    }, 5);
    await ended;
    clearInterval(timer);
    cuts.push(fs.statSync(copy).size);
  }
  const answer = await curl.run(server.url, options);
  const isSame = areSame(file, copy);
  const places = cuts.map((bytes) => figure(bytes / MEGABYTE, 0)).join(', ');
  console.log(`\nKilled at ${places} MB and resumed: the copy is ${isSame ? 'identical' : 'NOT identical'}.`);
  fs.rmSync(copy);
  const faults = isSame ? [] : [`the resumed download differs from the file (${answer})`];
  if (Math.max(...cuts) >= sizeBytes || new Set(cuts).size < INTERRUPTIONS)
    faults.push('a download ended before it was interrupted');
  return faults;
}

/** @param {string} file @param {string} other @returns {boolean} whether the contents are identical */
function areSame(file, other) {
  if (fs.statSync(file).size !== fs.statSync(other).size) return false;
  const [left, right] = [Buffer.alloc(COMPARED_BYTES), Buffer.alloc(COMPARED_BYTES)];
  const leftFile = fs.openSync(file, 'r');
  const rightFile = fs.openSync(other, 'r');
  try {
    for (;;) {
      const length = fs.readSync(leftFile, left, 0, COMPARED_BYTES, null);
      if (fs.readSync(rightFile, right, 0, COMPARED_BYTES, null) !== length) return false;
      if (length === 0) return true;
      if (left.compare(right, 0, length, 0, length) !== 0) return false;
    }
  } finally {
    fs.closeSync(leftFile);
    fs.closeSync(rightFile);
  }
}

/**
 * @param {Outcome[]} outcomes
 * @param {MemoryWatch} memory
 * @param {boolean} hasNginx
 * @returns {import('../measuring/report.mjs').Verdict[]}
 */
function verdictsOf(outcomes, memory, hasNginx) {
  const ratios = outcomes.map(({ load: { readers }, measurements }) => ({
    what: `Throughput, ${readers} at once, console / nginx (a/b)`,
    value: median(
      measurements.console.map(
        ({ bytesPerSecond }, round) => bytesPerSecond / (measurements.nginx[round]?.bytesPerSecond ?? NaN),
      ),
    ),
    ...{ unit: '×', ...(readers === 1 ? { atLeast: 0.5 } : {}) },
  }));
  return [
    ...(hasNginx ? ratios : []),
    { what: 'Memory of the console before', value: memory.before / MEGABYTE, unit: ' MB' },
    { what: 'Memory of the console after', value: memory.after / MEGABYTE, unit: ' MB' },
    {
      what: 'Maximum growth of the memory of the console',
      ...{ value: (memory.peak - memory.before) / MEGABYTE, unit: ' MB', atMost: MAX_GROWTH_MEGABYTES },
    },
  ];
}

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchDownloads(bench, { rounds, gigabytes }) {
  const program = findProgram('curl');
  if (!program) throw new Error('This benchmark requires curl, which is not on the PATH.');
  const curl = new Curl(program, bench.signal);
  const sizeBytes = Math.round(gigabytes * GIGABYTE);
  const folder = path.join(bench.dir, 'storage');
  const file = makeFile(folder, sizeBytes);
  const consoleServer = await startConsoleOn(bench, { folder, key: KEY });
  const servers = [consoleServer];
  const nginx = findProgram('nginx', process.env.NGINX);
  if (nginx) servers.push(await startNginxOn(bench, nginx, { file }));

  console.log(
    `\nDownloads: a file of ${gigabytes} GB, ${rounds - 1} rounds for each server, after one to warm up.`,
  );
  if (!nginx) console.log('No comparison: nginx is not on the PATH, and NGINX is not set.');
  const memory = new MemoryWatch(consoleServer.pid);
  /** @type {Outcome[]} */
  const outcomes = [];
  /** @type {string[]} */
  const faults = [];
  try {
    for (const readers of READERS) {
      const outcome = await takeTurns(curl, servers, { readers, sizeBytes }, rounds);
      faults.push(...outcome.faults);
      // Results of failed downloads mean nothing.
      if (faults.length > 0) return faults;
      outcomes.push(outcome);
      printLoad(servers, outcome);
    }
    faults.push(...(await resume(bench, curl, consoleServer, { file, sizeBytes })));
  } finally {
    memory.end();
  }
  printVerdicts(verdictsOf(outcomes, memory, nginx !== undefined));
  return faults;
}
