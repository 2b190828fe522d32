import os from 'node:os';
import path from 'node:path';
import { spawnNode } from '../../launcher/processes/child-processes.mjs';
import { startEngine, startGateway } from '../gateway/contenders.mjs';
import { processTreeTimeMs } from '../measuring/process-usage.mjs';
import { figure, median, printRows, printVerdicts } from '../measuring/report.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { ask, nextMessage } from '../setup/child-messages.mjs';
import { BALANCE_PICOS, createDatabase, limitKeys } from '../setup/database.mjs';
import { installPeers } from '../setup/peer-packages.mjs';
import { root } from '../setup/workbench.mjs';

/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { Contender } from '../gateway/contenders.mjs'
 * @import { Database } from '../setup/database.mjs'
 * @import { Workbench } from '../setup/workbench.mjs'
 * @import { Order, Report } from './load-process.mjs'
 *
 * @typedef {{ label: string, folder: string, database: Database, keys: string[], waits: Map<string, number> }} Build
 *   `waits`: how often a session was seen to wait, by the lock and the statement
 * @typedef {{ processes: number, accounts: number, streamed: boolean }} Setting
 * @typedef {{ perSecond: number, gatewayCores: number, postgresCores: number, waiting: number, faults: number }} Measurement
 */

const CONNECTIONS = 128;
const ACCOUNTS = [1, 64];
const SAMPLE_MS = 20;
/** A fresh process needs some thousands of calls until its code is compiled. */
const WARM_UP_SECONDS = 6;
const TARGET_WAITING = 0.03;

/** Sessions of the database's gateways that wait for a lock of the kind that transactions hold. */
const WAITING = `
  SELECT wait_event || ' in ' || left(query, 40) AS wait FROM pg_stat_activity
  WHERE datname = current_database() AND usename = 'gateway' AND wait_event_type = 'Lock'`;

/** @param {Workbench} bench @param {string} label @param {string} folder @param {string} name @returns {Promise<Build>} */
async function prepare(bench, label, folder, name) {
  const database = await createDatabase(bench, name, folder);
  const keys = [];
  for (let account = 0; account < Math.max(...ACCOUNTS); account += 1) {
    const { insertAccount } = loadBuilt('libs/testing/src', folder);
    keys.push((await insertAccount(database.pool, { balancePicos: BALANCE_PICOS })).apiKey);
  }
  return { label, folder, database, keys, waits: new Map() };
}

/** @param {Workbench} bench @returns {Promise<ChildProcess>} */
async function startLoad(bench) {
  const child = spawnNode([path.join(import.meta.dirname, 'load-process.mjs')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  bench.defer(() => child.kill());
  await nextMessage(bench, child);
  return child;
}

/** Samples until it is stopped. @param {Build} build */
function watchLocks({ database, waits }) {
  let sum = 0;
  let samples = 0;
  let isRunning = true;
  const ended = (async () => {
    while (isRunning) {
      for (const { wait } of (await database.pool.query(WAITING)).rows) {
        waits.set(wait, (waits.get(wait) ?? 0) + 1);
        sum += 1;
      }
      samples += 1;
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  return async () => {
    isRunning = false;
    await ended;
    return sum / samples;
  };
}

/**
 * Measures gateways that are warm.
 * @param {Workbench} bench
 * @param {Build} build
 * @param {{ gateways: Contender[], loads: ChildProcess[] }} site
 * @param {Setting} setting
 * @param {number} seconds
 * @returns {Promise<Measurement>}
 */
async function measure(bench, build, { gateways, loads }, { accounts, streamed }, seconds) {
  /** @param {number} seconds @returns {Promise<Report[]>} */
  const send = (seconds) =>
    Promise.all(
      gateways.map(({ url }, index) => {
        const child = loads[index];
        if (!child) throw new Error('There are fewer load processes than gateways.');
        const connections = Math.ceil(CONNECTIONS / gateways.length);
        /** @type {Order} */
        const order = { url, keys: build.keys.slice(0, accounts), streamed, connections, seconds };
        return /** @type {Promise<Report>} */ (ask(bench, child, order));
      }),
    );
  await send(1);
  const processorTime = () => gateways.reduce((sum, { pid }) => sum + processTreeTimeMs(pid), 0);
  const [gatewayBefore, postgresBefore] = [processorTime(), processTreeTimeMs(bench.postgresPid)];
  const stopWatching = watchLocks(build);
  const startedAt = performance.now();
  const reports = await send(seconds);
  const millis = performance.now() - startedAt;
  const waiting = await stopWatching();
  return {
    perSecond: (reports.reduce((sum, { answers }) => sum + answers, 0) / millis) * 1000,
    gatewayCores: (processorTime() - gatewayBefore) / millis,
    postgresCores: (processTreeTimeMs(bench.postgresPid) - postgresBefore) / millis,
    waiting,
    faults: reports.reduce((sum, { faults }) => sum + faults, 0),
  };
}

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchScale(bench, { rounds, seconds, against, processes, limitedKeys }) {
  await installPeers(bench.signal);
  const own = await prepare(bench, 'this build', root, 'scale_bench');
  if (limitedKeys) await limitKeys(own.database);
  const builds = [own];
  if (against !== undefined) builds.push(await prepare(bench, 'other build', against, 'scale_bench_other'));
  // As many load processes as gateways, so that they are not the narrow place. Builds that keep upstreams in the database share one engine.
  const most = Math.max(...processes);
  const engines = await Promise.all(Array.from({ length: Math.min(most, 4) }, () => startEngine(bench)));
  const loads = await Promise.all(Array.from({ length: most }, () => startLoad(bench)));

  console.log(
    `\nScale: ${CONNECTIONS} connections, ${rounds} rounds of ${seconds} s, ${os.availableParallelism()} processors.`,
  );
  console.log(`PostgreSQL: ${builds[0]?.database.durability}`);
  /** @type {string[]} */
  const faults = [];
  /** @type {string[][]} */
  const table = [];
  /** @type {{ build: Build, setting: Setting, middle: Measurement }[]} */
  const results = [];
  for (const count of processes) {
    const sites = [];
    for (const build of builds) {
      const [account] = build.keys;
      const gateways = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          startGateway(
            bench,
            /** @type {Contender} */ (engines[index % engines.length]),
            build.database,
            // Only its key is used, for requests that name no other one.
            /** @type {Parameters<typeof startGateway>[3]} */ ({ apiKey: account }),
            {},
            build.folder,
          ),
        ),
      );
      sites.push({ build, gateways, loads });
    }
    for (const { build, ...site } of sites)
      for (const streamed of [false, true])
        await measure(bench, build, site, { processes: count, accounts: 1, streamed }, WARM_UP_SECONDS);
    for (const accounts of ACCOUNTS)
      for (const streamed of [false, true]) {
        const setting = { processes: count, accounts, streamed };
        /** @type {Map<Build, Measurement[]>} */
        const measured = new Map(builds.map((build) => [build, []]));
        for (let round = 0; round < rounds; round += 1)
          for (const { build, ...site } of sites)
            measured.get(build)?.push(await measure(bench, build, site, setting, seconds));
        for (const [build, measurements] of measured) {
          /** @param {keyof Measurement} field */
          const of = (field) => median(measurements.map((one) => one[field]));
          const middle = {
            ...{
              perSecond: of('perSecond'),
              gatewayCores: of('gatewayCores'),
              postgresCores: of('postgresCores'),
            },
            ...{ waiting: of('waiting'), faults: measurements.reduce((sum, one) => sum + one.faults, 0) },
          };
          results.push({ build, setting, middle });
          const name = `${count} × ${build.label}, ${accounts} accounts, ${streamed ? 'SSE' : 'JSON'}`;
          if (middle.faults > 0) faults.push(`${name}: ${middle.faults} calls failed`);
          table.push([
            name,
            ...[figure(middle.perSecond, 0), figure(middle.gatewayCores, 2), figure(middle.postgresCores, 2)],
            figure(middle.waiting, 3),
          ]);
        }
      }
    for (const { gateways } of sites) await Promise.all(gateways.map((gateway) => gateway.stop()));
  }
  printRows('Calls', [['', 'calls/s', 'cores gateway', 'cores PostgreSQL', 'sessions waiting'], ...table]);
  for (const { label, waits } of builds) {
    const most = [...waits].sort(([, a], [, b]) => b - a).slice(0, 5);
    printRows(
      `Waits of ${label}`,
      most.map(([wait, count]) => [wait, String(count)]),
    );
  }
  printVerdicts(verdictsOf(results, most));
  return faults;
}

/** @param {{ build: Build, setting: Setting, middle: Measurement }[]} results @param {number} most */
function verdictsOf(results, most) {
  const ours = results.filter(({ build }) => build.folder === root);
  /** @param {number} processes @param {boolean} streamed */
  const of = (processes, streamed) =>
    ours.find(
      ({ setting }) =>
        setting.processes === processes && setting.accounts > 1 && setting.streamed === streamed,
    )?.middle;
  return [false, true].flatMap((streamed) => {
    const [one, many] = [of(1, streamed), of(most, streamed)];
    if (!many) return [];
    const kind = streamed ? 'SSE' : 'JSON';
    return [
      {
        ...{
          what: `Sessions that wait for a lock, ${most} processes, ${kind}`,
          value: many.waiting,
          unit: '',
        },
        ...{ digits: 3, atMost: TARGET_WAITING },
      },
      ...(one && most > 1
        ? [{ what: `${most} processes ÷ one, ${kind}`, value: many.perSecond / one.perSecond, unit: '×' }]
        : []),
    ];
  });
}
