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
 * How soon the image of each app is ready, and how much memory it takes a minute later: with the environment that
 * docker/compose.yaml gives it, on a migrated database without accounts. `npm run images` builds the images. Needs buildah and root.
 *
 * @import { Environment } from '../../images/compose-file.mjs'
 * @import { Workbench } from '../setup/workbench.mjs'
 *
 * @typedef {object} Service of an image
 * @property {string} app
 * @property {Container} container
 * @property {Environment} environment
 *
 * @typedef {object} Started
 * @property {number} readyMs
 * @property {() => number} pid of the first process
 * @property {() => Promise<void>} stop
 */

/** Where the images keep packages. */
const STORAGE = '/platform/storage';
const IMAGE_USER = 1000;
const READY_DEADLINE_MS = 60_000;
/** V8 gives back what only the start needed after half a minute without work. */
const SETTLED_MS = 60_000;
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

/** @param {Service} service @param {string} storage @returns {Promise<Started>} once it is ready */
async function start({ app, container, environment }, storage) {
  const [PORT, METRICS_PORT] = [String(await findFreePort()), String(await findFreePort())];
  const startedAt = performance.now();
  const { child, pid } = container.run(
    { ...environment, PORT, METRICS_PORT },
    { mounts: [[storage, STORAGE]] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = once(child, 'exit');
  const stop = async () => {
    if (child.exitCode === null) process.kill(pid(), 'SIGTERM');
    await ended;
  };
  while (!(await isReady(`http://127.0.0.1:${PORT}/healthz`))) {
    if (child.exitCode !== null || performance.now() - startedAt > READY_DEADLINE_MS) {
      await stop();
      throw new Error(`${app} does not get ready:\n${output.slice(-2_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { readyMs: performance.now() - startedAt, pid, stop };
}

/** @param {Service} service @param {string} storage @param {number} rounds @returns {Promise<number>} median of all but the first */
async function secondsToReady(service, storage, rounds) {
  const seconds = [];
  for (let round = 0; round < rounds; round += 1) {
    const { readyMs, stop } = await start(service, storage);
    await stop();
    if (round > 0) seconds.push(readyMs / 1_000);
  }
  return median(seconds);
}

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchImages(bench, { rounds }) {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const variables = generateVariables(root);
  const database = await createPlatform(bench, variables);
  const composed = readServices(root);
  const storage = path.join(bench.dir, 'storage');
  fs.mkdirSync(storage);
  fs.chownSync(storage, IMAGE_USER, IMAGE_USER);
  const services = APPS.map((app) => {
    const container = new Container(`inference-platform/${app}:${version}`);
    bench.defer(() => container.remove());
    const text = JSON.stringify(environmentOf(composed[app] ?? {}, variables));
    return {
      app,
      container,
      environment: JSON.parse(text.replaceAll('@postgres:5432/', `@${database.host}/`)),
    };
  });

  /** @type {number[]} */
  const seconds = [];
  for (const service of services) {
    bench.signal.throwIfAborted();
    seconds.push(await secondsToReady(service, storage, rounds));
  }
  const running = await Promise.all(services.map((service) => start(service, storage)));
  for (const { stop } of running) bench.defer(stop);
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  const trees = running.map(({ pid }) => treeOf(pid()));
  const megabytes = trees.map((tree) => tree.reduce((sum, pid) => sum + residentBytes(pid), 0) / 1e6);

  printRows(`Start of each image, ${rounds - 1} rounds after one to warm up`, [
    ['', 's to ready', 'MB a minute later', 'processes'],
    ...services.map(({ app }, index) => [
      app,
      figure(seconds[index] ?? NaN, 2),
      figure(megabytes[index] ?? NaN, 0),
      String(trees[index]?.length),
    ]),
  ]);
  const late = services.filter((_, index) => (seconds[index] ?? NaN) > TARGET_READY_SECONDS);
  const large = services.filter((_, index) => (megabytes[index] ?? NaN) > TARGET_MEGABYTES);
  console.log(
    `\nReady within ${TARGET_READY_SECONDS} s: ${verdict(late)}\nAt most ${TARGET_MEGABYTES} MB: ${verdict(large)}`,
  );
  return [];
}

/** @param {Service[]} misses */
const verdict = (misses) =>
  misses.length > 0 ? `missed by ${misses.map(({ app }) => app).join(', ')}` : 'met by all';
