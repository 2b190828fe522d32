import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SandboxPayments } from '@inference/sandbox-payments';
import {
  createDatabaseOfBuild,
  describeWhere,
  findFreePort,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { readLeases, runReconcile, wronglyBilled } from '../billing/ledger-totals';
import { createAdmin } from '../site/create-admin';
import { findProgram } from '../site/nginx';
import { ROOT, type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';
import { Customer, MODELS, publishLoadPrices } from './customers';
import { type Backend, Haproxy } from './haproxy';
import { makePreviousBuild, PREVIOUS, reasonWithoutPreviousBuild } from './previous-build';
import { describeOutcomes, UpgradeLoad } from './upgrade-load';

/** Of each activity in each phase. */
const ENOUGH_TURNS = 5;
const SERVED_MILLIS = 120_000;
/** A limit of a minute is used twice: what a process has drawn counts for 65 s. */
const PACED_MILLIS = 120_000;
const PICOS = 1e12;
const MIGRATE = 'dist/libs/database/src/migrate.js';
const ADMIN = { email: 'admin@example.com', password: 'admin password of this test' };
const CUSTOMER = { email: 'customer@example.com', password: 'customer password of this test' };
/** HAProxy needs two seconds to see that a health check fails. The previous version does not know the variable. */
const DELAY = { SHUTDOWN_DELAY_SECONDS: '5' };
/** These do not find documents whose index a newer version has merged (docs/operations/upgrade.md). */
const VERSIONS_THAT_LOSE_DOCUMENTS = ['0.1.0'];
/** In this order operators restart them: each before those that call it. */
const SERVICES = ['gateway', 'agent', 'memo', 'console'] as const;

const startedAt = performance.now();
const haproxyProgram = findProgram('haproxy');
const missing = haproxyProgram ? reasonWithoutPreviousBuild() : 'haproxy is not installed';

describeWhere(!missing, missing!)(`the upgrade from ${PREVIOUS.version}`, () => {
  let previousBuild: string;
  let database: TestDatabase;
  let payments: SandboxPayments;
  let site: Site;
  let haproxy: Haproxy;
  let backends: Record<(typeof SERVICES)[number], Backend>;
  let customer: Customer;
  let load: UpgradeLoad;

  beforeAll(async () => {
    previousBuild = await makePreviousBuild();
    [database, payments] = await Promise.all([
      createDatabaseOfBuild(join(previousBuild, MIGRATE)),
      SandboxPayments.start({ site: 'intl' }),
    ]);
    const ports = await Promise.all(SERVICES.map(() => findFreePort()));
    const urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const at = (service: (typeof SERVICES)[number]) => urls[SERVICES.indexOf(service)]!;
    const addresses = {
      gateway: at('gateway'),
      agent: at('agent'),
      memo: at('memo'),
      console: at('console'),
    };
    site = new Site(database, { build: previousBuild, consoleUrl: addresses.console });
    const engine = await site.startEngine();
    const gateway = { url: addresses.gateway };
    const inner = { GATEWAY_URL: addresses.gateway, AGENT_URL: addresses.agent };
    const starts: Record<(typeof SERVICES)[number], () => Promise<ServiceProcess>> = {
      gateway: () => site.startGateway(engine, DELAY),
      agent: () => site.startAgent(gateway, { DEFAULT_MODEL: MODELS[0]!, ...DELAY }),
      memo: () => site.startMemo(gateway, { CHAT_MODEL: MODELS[0]!, INGESTION_WORKERS: '1', ...DELAY }),
      console: () =>
        site.startConsole({ ...payments.consoleEnvironment(), ...inner, MIN_TOPUP: '1', ...DELAY }),
    };
    backends = {} as typeof backends;
    for (const [index, name] of SERVICES.entries())
      backends[name] = { name, port: ports[index]!, replicas: [await starts[name](), await starts[name]()] };
    [haproxy] = await Promise.all([
      Haproxy.start(haproxyProgram!, Object.values(backends)),
      createAdmin(database.urlFor('console'), 'intl', ADMIN, previousBuild),
      payments.deliverTo(addresses.console),
    ]);
    customer = new Customer(addresses, payments);
    await customer.open(await publishLoadPrices(addresses.console, ADMIN), CUSTOMER);
    load = new UpgradeLoad(customer.activities, 'before');
    await everyoneIsServed('before');
  });

  afterAll(async () => {
    await load?.stop();
    await site?.stop();
    await haproxy?.stop();
    await payments?.stop();
    await database?.drop();
  });

  /** Resolves when each activity was done some times in the phase, or when something has failed. */
  const everyoneIsServed = (phase: string) =>
    waitFor(
      () =>
        load.failures.length > 0 ||
        customer.activities.every(({ name }) => load.doneIn(phase, name) >= ENOUGH_TURNS),
      SERVED_MILLIS,
    );

  /** Does the work in a new phase of the load, and waits until everyone is served in it. */
  async function during<T>(phase: string, work: () => Promise<T>): Promise<T> {
    load.begin(phase);
    const result = await work();
    await everyoneIsServed(phase);
    return result;
  }

  /** Replaces all replicas, one after another, by processes of this build. A key gets a limit as soon as a console knows it. */
  async function upgradeAll(): Promise<void> {
    for (const name of SERVICES)
      for (const replica of backends[name].replicas) {
        await haproxy.drain(replica);
        expect(await replica.stop()).toBe(true);
        await replica.start(ROOT);
        await haproxy.restore(replica);
        if (replica === backends.console.replicas[0]) await customer.limitPace(replica.url);
      }
  }

  /** Replaces one replica of each service by a process of the previous build, then the other ones. */
  async function goBack(): Promise<void> {
    for (const index of [0, 1]) {
      const replicas = SERVICES.map((name) => backends[name].replicas[index]!);
      expect(await Promise.all(replicas.map((replica) => replica.stop()))).toEqual(SERVICES.map(() => true));
      for (const replica of replicas) await replica.start(previousBuild);
      for (const replica of replicas) await haproxy.restore(replica);
    }
  }

  /** What the calls of a key have cost, in units of the currency. */
  async function spentByEvents(apiKeyId: string): Promise<number> {
    const { rows } = await database.pool.query<{ picos: string }>(
      'SELECT sum(cost_picos)::text AS picos FROM metering.usage_events WHERE api_key_id = $1',
      [apiKeyId],
    );
    return Number(rows[0]!.picos) / PICOS;
  }

  test('serves every request while the database is migrated', async () => {
    const { stdout } = await during('migration', () =>
      promisify(execFile)(process.execPath, [join(ROOT, MIGRATE)], {
        env: { PATH: process.env.PATH, DATABASE_URL: database.ownerUrl },
      }),
    );
    const [first] = /\d{4}/.exec(stdout)!;
    expect(Number(first)).toBe(Number(PREVIOUS.newestMigration.slice(0, 4)) + 1);
    expect(load.failures).toEqual([]);
  });

  test('serves every request while replicas of the new version take the place of the old ones', async () => {
    await during('restart', upgradeAll);
    expect(load.failures).toEqual([]);
    expect(customer.unfound).toBe(0);
    expect(await runReconcile(database)).toContain('no difference');
  });

  test('keeps a key of the old version to the limits that it gets', async () => {
    await during('limits', () => waitFor(() => customer.pace.answered > customer.pace.limit, PACED_MILLIS));
    const { limit, mostInMinute, refused } = customer.pace;
    expect(mostInMinute).toBeLessThanOrEqual(limit);
    expect(refused).toBeGreaterThan(0);
    // It calls on: each figure has at least what was read before it.
    const before = await spentByEvents(customer.pacedKeyId);
    await waitFor(async () => (await customer.pacedSpending()) >= before);
    const counted = await customer.pacedSpending();
    expect(counted).toBeLessThanOrEqual(await spentByEvents(customer.pacedKeyId));
    await customer.limitSpending();
    expect(load.failures).toEqual([]);
  });

  test('serves every request while replicas of the old version return to the new schema', async () => {
    await during('going back', goBack);
    expect(load.failures).toEqual([]);
    if (!VERSIONS_THAT_LOSE_DOCUMENTS.includes(PREVIOUS.version)) expect(customer.unfound).toBe(0);
  });

  test('has billed what was acknowledged, each request once', async () => {
    await load.stop();
    await site.stop();
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.info(
      `${describeOutcomes(load.outcomes)}\n${customer.resumed} streams of agents were resumed. Memo did not find the document for ${customer.unfound} questions. ${seconds} s in all.`,
    );
    expect(load.failures).toEqual([]);
    expect(await wronglyBilled(database.pool, customer.calls)).toEqual([]);
    const { rows } = await database.pool.query<{ entrypoint: string; count: number }>(
      'SELECT entrypoint, count(*)::integer FROM metering.usage_events GROUP BY 1 ORDER BY 1',
    );
    expect(rows).toEqual([
      { entrypoint: 'agent', count: customer.turns },
      { entrypoint: 'gateway', count: customer.calls.length },
      { entrypoint: 'memo', count: customer.questions },
    ]);
    const credited = await database.pool.query<{ count: number }>(
      "SELECT count(*)::integer FROM wallet.transfers WHERE kind = 'topup'",
    );
    expect(credited.rows[0]!.count).toBe(customer.topUps);
    expect(await readLeases(database.pool)).toEqual({ leases: 0n, walletPicos: 0n, keyPicos: 0n });
    for (const build of [ROOT, previousBuild])
      expect(await runReconcile(database, build)).toContain('no difference');
  });
});
