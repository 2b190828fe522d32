import { runNode } from '../../launcher/processes/child-processes.mjs';
import { processTree, residentBytes } from '../measuring/process-usage.mjs';
import { figure, median, printRows, printVerdicts } from '../measuring/report.mjs';
import { root } from '../setup/workbench.mjs';
import { startWholeSite } from '../setup/whole-site.mjs';
import { MixedLoad } from './mixed-load.mjs';

/**
 * Whether the memory of the services grows under a mixed load of all of them.
 *
 * @typedef {object} Sample of one service
 * @property {number} residentBytes of the service's process and its children
 * @property {number} heapBytes in use in the service's process, with what is not yet collected
 */

const SAMPLES = 120;
const METRICS_PORT_OFFSET = 50;
const HIGHEST_GROWTH = 0.1;
const MEBIBYTE = 2 ** 20;

/** Of all processes of the launcher. @param {number} launcherPid @returns {Map<string, number>} service → pid */
function servicePids(launcherPid) {
  const services = new Map();
  for (const { pid, command } of processTree(launcherPid)) {
    const [, service] = /dist\/apps\/([a-z-]+)\/src\/main\.js/.exec(command) ?? [];
    if (service) services.set(service, pid);
  }
  return services;
}

/** @param {string} serviceUrl @param {number} pid @returns {Promise<Sample>} */
async function takeSample(serviceUrl, pid) {
  const { hostname, port } = new URL(serviceUrl);
  const text = await (await fetch(`http://${hostname}:${Number(port) + METRICS_PORT_OFFSET}/metrics`)).text();
  const [, heapBytes] = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(text) ?? [];
  const resident = processTree(pid).reduce((sum, child) => sum + (residentBytes(child.pid) || 0), 0);
  return { residentBytes: resident, heapBytes: Number(heapBytes) };
}

/** @param {Sample[]} samples the lowest heap is about what is left after a collection */
const summaryOf = (samples) => ({
  residentBytes: median(samples.map((sample) => sample.residentBytes)),
  heapBytes: Math.min(...samples.map((sample) => sample.heapBytes)),
});

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchMemory(bench, { minutes }) {
  const { launcher, platform } = await startWholeSite(bench);
  const pids = servicePids(launcher.pid);
  const urls = new Map(
    Object.entries(platform.urls).map(([name, url]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      url,
    ]),
  );
  /** @type {Map<string, Sample[]>} */
  const samples = new Map([...pids.keys()].map((service) => [service, []]));
  console.log(`\nMixed load of all services for ${minutes} minutes.`);
  const load = new MixedLoad(platform);
  const startedAt = Date.now();
  for (let number = 1; number <= SAMPLES; number += 1) {
    const due = startedAt + (number * minutes * 60_000) / SAMPLES;
    while (Date.now() < due && !bench.signal.aborted)
      await new Promise((resolve) => setTimeout(resolve, Math.min(1_000, Math.max(1, due - Date.now()))));
    if (bench.signal.aborted) break;
    for (const [service, pid] of pids)
      samples.get(service)?.push(await takeSample(urls.get(service) ?? '', pid));
  }
  await load.stop();
  bench.signal.throwIfAborted();

  printRows('Repetitions', [
    ['', 'number'],
    ...[...load.done].map(([does, number]) => [does, String(number)]),
  ]);
  const sixth = SAMPLES / 6;
  const rows = [...samples].map(([service, all]) => {
    const before = summaryOf(all.slice(sixth, 2 * sixth));
    const after = summaryOf(all.slice(-sixth));
    return { service, before, after, growth: after.residentBytes / before.residentBytes - 1 };
  });
  const mebibytes = (/** @type {number} */ bytes) => figure(bytes / MEBIBYTE, 0);
  printRows('MiB in the second sixth of the time, and in the last', [
    ['', 'resident', 'then', 'growth %', 'heap', 'then'],
    ...rows.map(({ service, before, after, growth }) => [
      service,
      mebibytes(before.residentBytes),
      mebibytes(after.residentBytes),
      figure(100 * growth, 1),
      mebibytes(before.heapBytes),
      mebibytes(after.heapBytes),
    ]),
  ]);
  printVerdicts([
    {
      what: 'Largest growth of the resident memory of a service',
      ...{ value: 100 * Math.max(...rows.map(({ growth }) => growth)), unit: ' %', digits: 1 },
      atMost: 100 * HIGHEST_GROWTH,
    },
  ]);
  const env = { PATH: process.env.PATH, DATABASE_URL: platform.database.url };
  await runNode(['dist/libs/metering/src/reconcile/command.js'], { cwd: root, env, signal: bench.signal });
  return [...load.failures].map(([failure, number]) => `${number} × ${failure}`);
}
