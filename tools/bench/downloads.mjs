import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ending } from '../launcher/children.mjs';
import { findProgram, startConsoleOn, startNginxOn } from './file-servers.mjs';
import { processorTimeMs, residentBytes } from './process-usage.mjs';
import { figure, median, printRows, printVerdicts } from './report.mjs';

const GIGABYTE = 1e9;
const MEGABYTE = 1e6;
const KEY = 'bench_file';
const READERS = [1, 4];
const RSS_SAMPLE_MS = 50;
/** Random bytes here and there: between zeros alone nothing would show that a part is in the wrong place. */
const BLOCK_BYTES = 1_000_003;
const BLOCKS = 100;
const INTERRUPTIONS = 3;
const COMPARED_BYTES = 8 * 2 ** 20;
/** What many megabytes a second leave for the collector to find; a file in memory would be gigabytes. */
const MOST_GROWTH_MEGABYTES = 128;

/** @typedef {{ bytesPerSecond: number, cpuSecondsPerGigabyte: number }} Measurement */

/** Mostly holes. @returns {string} */
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
    this.before = this.peak = residentBytes(pid);
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

  /** The link goes in by the standard input: arguments are for everybody on the machine to read. */
  start(url, options) {
    this.signal.throwIfAborted();
    const args = ['--config', '-', '--silent', '--show-error', ...options];
    const child = spawn(this.program, args, { stdio: ['pipe', 'pipe', 'pipe'], signal: this.signal });
    child.stdin.on('error', () => undefined);
    child.stdin.end(`url = "${url}"\n`);
    return child;
  }

  /** @returns {Promise<string>} what it says of the transfer; a failure says why it failed */
  async run(url, options) {
    const child = this.start(url, [...options, '--write-out', '%{http_code} %{size_download}']);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
    await new Promise((resolve) => child.on('close', resolve).on('error', resolve));
    this.signal.throwIfAborted();
    return said;
  }
}

/** @returns {Promise<{ measurement: Measurement, faults: string[] }>} of as many readers at once, each in a process of its own */
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

/** One round for each server in turn, the first of which warms up. */
async function takeTurns(curl, servers, load, rounds) {
  const measurements = Object.fromEntries(servers.map(({ key }) => [key, []]));
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

function printLoad(servers, { load: { readers }, measurements }) {
  const of = (key, field) => median(measurements[key].map((measurement) => measurement[field]));
  const rows = servers.map(({ key, label }) => [
    label,
    figure(of(key, 'bytesPerSecond') / MEGABYTE, 0),
    figure(of(key, 'cpuSecondsPerGigabyte'), 2),
  ]);
  const title = `${readers} download${readers === 1 ? '' : 's'} at once, together`;
  printRows(title, [['', 'MB/s', 'CPU s/GB'], ...rows]);
}

const isCutOff = (file, bytes) => fs.existsSync(file) && fs.statSync(file).size >= bytes;

/** Kills a download again and again, goes on with what is there, and compares. @returns {Promise<string[]>} faults */
async function resume(bench, curl, server, { file, sizeBytes }) {
  const copy = path.join(bench.dir, 'copy');
  const options = ['--continue-at', '-', '--output', copy];
  const cuts = [];
  for (let cut = 1; cut <= INTERRUPTIONS; cut += 1) {
    const child = curl.start(server.url, options);
    const ended = ending(child);
    const timer = setInterval(() => {
      if (isCutOff(copy, (sizeBytes * cut) / (INTERRUPTIONS + 1))) child.kill('SIGKILL');
    }, 5);
    await ended;
    clearInterval(timer);
    cuts.push(fs.statSync(copy).size);
  }
  const answer = await curl.run(server.url, options);
  const isSame = areSame(file, copy);
  const places = cuts.map((bytes) => figure(bytes / MEGABYTE, 0)).join(', ');
  console.log(
    `\nKilled at ${places} MB and resumed: ${isSame ? 'the same, byte for byte' : 'NOT the same'}.`,
  );
  fs.rmSync(copy);
  const faults = isSame ? [] : [`the resumed download is not the file (${answer})`];
  if (cuts.at(-1) >= sizeBytes || new Set(cuts).size < INTERRUPTIONS)
    faults.push('not every interruption came in the middle');
  return faults;
}

function areSame(file, other) {
  if (fs.statSync(file).size !== fs.statSync(other).size) return false;
  const descriptors = [file, other].map((name) => fs.openSync(name, 'r'));
  const [left, right] = descriptors.map(() => Buffer.alloc(COMPARED_BYTES));
  try {
    for (;;) {
      const length = fs.readSync(descriptors[0], left, 0, COMPARED_BYTES, null);
      if (fs.readSync(descriptors[1], right, 0, COMPARED_BYTES, null) !== length) return false;
      if (length === 0) return true;
      if (left.compare(right, 0, length, 0, length) !== 0) return false;
    }
  } finally {
    descriptors.forEach(fs.closeSync);
  }
}

function verdictsOf(outcomes, memory, hasNginx) {
  const ratios = outcomes.map(({ load: { readers }, measurements }) => ({
    what: `Throughput, ${readers} at once, console / nginx (a/b)`,
    value: median(
      measurements.console.map(
        ({ bytesPerSecond }, round) => bytesPerSecond / measurements.nginx?.[round].bytesPerSecond,
      ),
    ),
    ...{ unit: '×', ...(readers === 1 ? { atLeast: 0.5 } : {}) },
  }));
  return [
    ...(hasNginx ? ratios : []),
    { what: 'Memory of the console before', value: memory.before / MEGABYTE, unit: ' MB' },
    { what: 'Memory of the console after', value: memory.after / MEGABYTE, unit: ' MB' },
    {
      what: 'Memory of the console at most, above what it was before',
      ...{ value: (memory.peak - memory.before) / MEGABYTE, unit: ' MB', atMost: MOST_GROWTH_MEGABYTES },
    },
  ];
}

/** @param {import('./workbench.mjs').Workbench} bench @returns {Promise<string[]>} faults */
export async function benchDownloads(bench, { rounds, gigabytes }) {
  const program = findProgram('curl');
  if (!program) throw new Error('The downloads are made with curl, which is not on the PATH.');
  const curl = new Curl(program, bench.signal);
  const sizeBytes = Math.round(gigabytes * GIGABYTE);
  const folder = path.join(bench.dir, 'storage');
  const file = makeFile(folder, sizeBytes);
  const servers = [await startConsoleOn(bench, { folder, key: KEY })];
  const nginx = findProgram('nginx', process.env.NGINX);
  if (nginx) servers.push(await startNginxOn(bench, nginx, { file }));

  console.log(
    `\nDownloads: a file of ${gigabytes} GB, ${rounds - 1} rounds for each server, after one to warm up.`,
  );
  if (!nginx) console.log('There is no nginx on the PATH, nor NGINX: nothing to compare with.');
  const memory = new MemoryWatch(servers[0].pid);
  const outcomes = [];
  const faults = [];
  try {
    for (const readers of READERS) {
      const outcome = await takeTurns(curl, servers, { readers, sizeBytes }, rounds);
      faults.push(...outcome.faults);
      // Figures of failures say nothing.
      if (faults.length > 0) return faults;
      outcomes.push(outcome);
      printLoad(servers, outcome);
    }
    faults.push(...(await resume(bench, curl, servers[0], { file, sizeBytes })));
  } finally {
    memory.end();
  }
  printVerdicts(verdictsOf(outcomes, memory, nginx !== undefined));
  return faults;
}
