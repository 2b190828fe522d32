import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { APPS, environmentOf, generateVariables, readServices } from '../../images/compose-file.mjs';
import { Container } from '../../images/container.mjs';
import { runNode } from '../../launcher/processes/child-processes.mjs';
import { findFreePort } from '../../setup/ports.mjs';
import { figure, median, printRows } from '../measuring/report.mjs';
import { root } from '../setup/workbench.mjs';

/**
 * How soon the image of each app is ready, and how much memory it takes then: with the environment that docker/compose.yaml
 * gives it, on a migrated database without accounts. `npm run images` builds the images. Needs buildah and root.
 *
 * @import { Environment } from '../../images/compose-file.mjs'
 * @import { Workbench } from '../setup/workbench.mjs'
 *
 * @typedef {{ readyMs: number, megabytes: number, processes: number }} Start of all processes of a container
 */

const IMAGE_USER = 1000;
const READY_DEADLINE_MS = 60_000;
/** The processes of a service that it forks itself are there by then. */
const SETTLED_MS = 2_000;
const TARGET_READY_SECONDS = 2;
const TARGET_MEGABYTES = 120;

/** @param {Workbench} bench @param {Environment} variables @returns {Promise<URL>} of the database's owner */
async function createPlatform(bench, variables) {
  const admin = new pg.Client({ connectionString: bench.postgresUrl });
  await admin.connect();
  await admin.query('CREATE DATABASE platform');
  await admin.end();
  const url = new URL(bench.postgresUrl);
  url.pathname = '/platform';
  const { migrate } = readServices(root);
  if (!migrate) throw new Error('docker/compose.yaml has no service migrate.');
  await runNode(['dist/libs/database/src/migrate.js'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...environmentOf(migrate, variables), DATABASE_URL: url.href },
    signal: bench.signal,
  });
  return url;
}

/** @param {number} pid @returns {number[]} it and what it has started */
function treeOf(pid) {
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => treeOf(Number(child)))];
}

/** @param {number} pid @returns {number} bytes of its own and of its share of what it has in common with others */
function residentBytes(pid) {
  const rollup = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return 1024 * Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]);
}

/** @param {string} url */
const isReady = async (url) => {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
};

/**
 * @param {Container} container
 * @param {Environment} environment
 * @param {string} storage
 * @returns {Promise<Start>}
 */
async function startOnce(container, environment, storage) {
  const [PORT, METRICS_PORT] = [String(await findFreePort()), String(await findFreePort())];
  const startedAt = performance.now();
  const { child, pid } = container.run({ ...environment, PORT, METRICS_PORT }, { storage });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = once(child, 'exit');
  try {
    while (!(await isReady(`http://127.0.0.1:${PORT}/healthz`))) {
      if (child.exitCode !== null || performance.now() - startedAt > READY_DEADLINE_MS)
        throw new Error(`It does not get ready:\n${output.slice(-2_000)}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const readyMs = performance.now() - startedAt;
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    const processes = treeOf(pid());
    const bytes = processes.reduce((sum, process) => sum + residentBytes(process), 0);
    return { readyMs, megabytes: bytes / 1e6, processes: processes.length };
  } finally {
    if (child.exitCode === null) process.kill(pid(), 'SIGTERM');
    await ended;
  }
}

/** @type {import('../run.mjs').Benchmark} */
export async function benchImages(bench, { rounds }) {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const variables = generateVariables(root);
  const database = await createPlatform(bench, variables);
  const services = readServices(root);
  const storage = path.join(bench.dir, 'storage');
  fs.mkdirSync(storage);
  fs.chownSync(storage, IMAGE_USER, IMAGE_USER);
  const rows = [['', 's to ready', 'MB resident', 'processes']];
  const misses = [];
  for (const app of APPS) {
    const container = new Container(`inference-platform/${app}:${version}`);
    bench.defer(() => container.remove());
    const text = JSON.stringify(environmentOf(services[app] ?? {}, variables));
    /** @type {Environment} */
    const environment = JSON.parse(text.replaceAll('@postgres:5432/', `@${database.host}/`));
    const starts = [];
    for (let round = 0; round < rounds; round += 1) {
      bench.signal.throwIfAborted();
      const start = await startOnce(container, environment, storage);
      if (round > 0) starts.push(start);
    }
    const seconds = median(starts.map(({ readyMs }) => readyMs)) / 1000;
    const megabytes = median(starts.map((start) => start.megabytes));
    rows.push([app, figure(seconds, 2), figure(megabytes, 0), String(starts[0]?.processes)]);
    if (seconds > TARGET_READY_SECONDS || megabytes > TARGET_MEGABYTES) misses.push(app);
  }
  printRows(`Start of each image, ${rounds - 1} rounds after one to warm up`, rows);
  console.log(
    `\nTargets: ${TARGET_READY_SECONDS} s, ${TARGET_MEGABYTES} MB: ${misses.length > 0 ? `missed by ${misses.join(', ')}` : 'met by all'}`,
  );
  return [];
}
