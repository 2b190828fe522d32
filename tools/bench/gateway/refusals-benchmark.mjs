import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { processTreeTimeMs } from '../measuring/process-usage.mjs';
import { figure, median, printRows, printVerdicts } from '../measuring/report.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { createDatabase } from '../setup/database.mjs';
import { installPeers, loadAutocannon } from '../setup/peer-packages.mjs';
import { startEngine, startGateway } from './contenders.mjs';
import { requestBody } from './load.mjs';

/**
 * What it takes to record refused calls: a gateway that refuses all calls of accounts without money, in turns with one that records nothing.
 *
 * @import { Contender } from './contenders.mjs'
 * @import { Workbench } from '../setup/workbench.mjs'
 *
 * @typedef {{ calls: number, gatewayMs: number, postgresMs: number, recorded: number }} Minute processor time in milliseconds
 */

const ACCOUNTS = 64;
const CONNECTIONS = 32;
/** How many calls are recorded is limited by the minute: shorter rounds would have all of them or none. */
const ROUND_SECONDS = 60;
const WARM_UP_SECONDS = 20;
/** Records are written up to a quarter of a second later. */
const WRITTEN_MILLIS = 2_000;
const REFUSED = 402;
const MOST_ADDED_PERCENT = 5;

/**
 * @param {Workbench} bench @param {Contender} gateway @param {string[]} keys @param {number} seconds
 * @returns {Promise<number>} calls, all of which were refused
 */
async function refuse(bench, gateway, keys, seconds) {
  const body = requestBody({ streamed: false, connections: CONNECTIONS });
  const options = {
    url: `${gateway.url}/v1/chat/completions`,
    method: 'POST',
    body,
    requests: keys.map((key) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body,
    })),
    connections: CONNECTIONS,
    duration: seconds,
  };
  /** @type {import('../setup/peer-packages.mjs').AutocannonResult} */
  const result = await new Promise((resolve, reject) => {
    const instance = loadAutocannon()(options, (error, value) => (error ? reject(error) : resolve(value)));
    bench.signal.addEventListener('abort', () => instance.stop(), { once: true });
  });
  bench.signal.throwIfAborted();
  const statuses = Object.entries(result.statusCodeStats ?? {}).map(([status, { count }]) => ({
    status: Number(status),
    count,
  }));
  const others = statuses.filter(({ status }) => status !== REFUSED);
  if (others.length > 0 || statuses.length === 0)
    throw new Error(`Not all calls were refused: ${JSON.stringify(statuses)}`);
  return statuses.reduce((sum, { count }) => sum + count, 0);
}

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchRefusals(bench, { rounds }) {
  await installPeers(bench.signal);
  const { insertAccount } = loadBuilt('libs/testing/src');
  const database = await createDatabase(bench, 'refusals_bench');
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => insertAccount(database.pool, { balancePicos: 0n })),
  );
  const keys = accounts.map(({ apiKey }) => apiKey);
  const [account] = /** @type {[typeof accounts[0], ...typeof accounts]} */ (accounts);
  const engine = await startEngine(bench);
  const preload = pathToFileURL(path.join(import.meta.dirname, 'without-records.mjs')).href;
  const gateways = {
    'records refused calls': await startGateway(bench, engine, database, account),
    'records nothing': await startGateway(bench, engine, database, account, {
      NODE_OPTIONS: `--import=${preload}`,
    }),
  };
  const recorded = async () => {
    const { rows } = await database.pool.query('SELECT count(*)::int AS count FROM metering.unserved_calls');
    return /** @type {{ count: number }} */ (rows[0]).count;
  };

  console.log(
    `\nRefused calls: ${rounds - 1} rounds of a minute for each gateway, after ${WARM_UP_SECONDS} s to warm up, ${CONNECTIONS} connections, ${ACCOUNTS} accounts.`,
  );
  for (const gateway of Object.values(gateways)) {
    await refuse(bench, gateway, keys, WARM_UP_SECONDS);
    await sleep(WRITTEN_MILLIS);
  }
  /** @type {Map<string, Minute[]>} */
  const minutes = new Map(Object.keys(gateways).map((name) => [name, []]));
  for (let round = 1; round < rounds; round += 1)
    for (const [name, gateway] of Object.entries(gateways)) {
      const [gatewayBefore, postgresBefore] = [gateway.pid, bench.postgresPid].map(processTreeTimeMs);
      const recordedBefore = await recorded();
      const calls = await refuse(bench, gateway, keys, ROUND_SECONDS);
      await sleep(WRITTEN_MILLIS);
      const [gatewayMs, postgresMs] = [gateway.pid, bench.postgresPid].map(processTreeTimeMs);
      minutes.get(name)?.push({
        calls,
        gatewayMs: (gatewayMs ?? NaN) - (gatewayBefore ?? NaN),
        postgresMs: (postgresMs ?? NaN) - (postgresBefore ?? NaN),
        recorded: (await recorded()) - recordedBefore,
      });
    }
  const perCall = (/** @type {Minute} */ { calls, gatewayMs, postgresMs }) =>
    (gatewayMs + postgresMs) / calls;
  printRows('Refused calls', [
    ['', 'calls a minute', 'recorded', 'gateway ms a call', 'PostgreSQL ms a call'],
    ...[...minutes].map(([name, each]) => [
      name,
      figure(median(each.map(({ calls }) => calls)), 0),
      figure(median(each.map((minute) => minute.recorded)), 0),
      figure(median(each.map(({ gatewayMs, calls }) => gatewayMs / calls)), 3),
      figure(median(each.map(({ postgresMs, calls }) => postgresMs / calls)), 3),
    ]),
  ]);
  const [recording = [], others = []] = [...minutes.values()];
  const added = recording.map((minute, round) => perCall(minute) / perCall(others[round] ?? minute) - 1);
  const hasRecorded = others.some((minute) => minute.recorded > 0);
  printVerdicts([
    {
      what: 'Processor time that recording adds to refused calls, with PostgreSQL',
      ...{ value: median(added) * 100, unit: ' %', digits: 1, atMost: MOST_ADDED_PERCENT },
    },
  ]);
  return hasRecorded ? ['the gateway that records nothing has recorded calls'] : [];
}
