import { join } from 'node:path';
import { SandboxPayments } from '@inference/sandbox-payments';
import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import {
  type EventRow,
  readEvents,
  readLedgerTotals,
  runReconcile,
  wronglyBilled,
} from '../billing/ledger-totals';
import { type CallResult } from '../load/call-result';
import { ContinuousLoad, LOAD_PRICES } from '../load/continuous-load';
import { rawCall } from '../load/raw-calls';
import { consoleBody } from '../site/console-client';
import { PostgresProcess } from '../site/postgres-process';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';
import { RestoredDatabase, runCommand } from './restored-database';

const CONCURRENCY = 8;
/** Responses between two steps of the test. */
const STEP = 40;
const BALANCE_PICOS = 100_000_000_000_000n;
const TOP_UP = 20;

let postgres: PostgresProcess;
let backupDir: string;
let database: TestDatabase;
let sandbox: SandboxPayments;
let site: Site;
let account: TestAccount;
let engine: ServiceProcess;
let load: ContinuousLoad;
/** Paid at the provider after the moment. */
let paymentId: string;
/** The middle of the load, by the clock of the database. */
let moment: string;
/** The complete responses before the moment, before the last file of the log was archived, and before the kill. */
let beforeMoment: CallResult[];
let beforeArchived: CallResult[];
let results: CallResult[];
/** What the original has recorded, after its own recovery from the kill. */
let recorded: Map<string, EventRow & { isAfterMoment: boolean }>;
const restored: RestoredDatabase[] = [];

/** Everything happens here, so that each test only looks at what was restored. */
beforeAll(async () => {
  postgres = await PostgresProcess.createArchiving({ track_commit_timestamp: 'on' });
  backupDir = postgres.backupDir!;
  process.env.TEST_DATABASE_URL = await postgres.start();
  database = await createTestDatabase();
  await publishPrices(database.pool, LOAD_PRICES);
  account = await insertAccount(database.pool, { balancePicos: BALANCE_PICOS });
  sandbox = await SandboxPayments.start({ site: 'intl' });
  site = new Site(database);
  engine = await site.startEngine();
  const consoleApp = await site.startConsole(sandbox.consoleEnvironment());
  await sandbox.deliverTo(consoleApp.url);
  const gateways = await Promise.all(
    [1, 2].map(() => site.startGateway(engine, { SETTLEMENT_PATIENCE_SECONDS: '2' })),
  );
  load = new ContinuousLoad(
    gateways.map(({ url }) => url),
    [account.apiKey],
    CONCURRENCY,
  );
  await moreLoad();
  await Promise.all([backUp(), moreLoad()]);
  paymentId = await order(consoleApp.url);
  await moreLoad();

  beforeMoment = completeSoFar();
  moment = await readClock();
  await sandbox.act(paymentId, 'pay');
  await waitFor(async () => (await paymentStatus(database)) === 'paid');
  await moreLoad();

  beforeArchived = completeSoFar();
  await archiveLog();
  await moreLoad();
  await postgres.kill();
  results = await load.stop();
  await site.stop();
  await postgres.start();
  recorded = await readRecorded();
  await postgres.kill();
});

afterAll(async () => {
  await load?.stop();
  await site?.stop();
  await Promise.all(restored.map((copy) => copy.remove()));
  await sandbox?.stop();
  await database?.pool.end();
  await postgres?.remove();
});

const completeSoFar = () => load.results.filter(({ complete }) => complete);

async function moreLoad(): Promise<void> {
  const goal = completeSoFar().length + STEP;
  await waitFor(() => completeSoFar().length >= goal, 60_000);
}

async function backUp(): Promise<void> {
  const environment = { DATABASE_URL: database.ownerUrl, BACKUP_DIR: backupDir };
  expect(await runCommand('backup', [], environment)).toEqual({
    code: 0,
    output: expect.stringMatching(/^Backed up [\d.]+ MB to [\d.]+ MB in [\d.]+ s: /) as string,
  });
}

async function order(consoleUrl: string): Promise<string> {
  const { token } = await consoleBody<{ token: string }>(consoleUrl, 'POST', '/api/auth/register', {
    json: { email: 'payer@example.com', password: 'correct horse battery' },
    status: 201,
  });
  const json = { provider: 'card_provider', amount: TOP_UP };
  const options = { token, json, status: 201 };
  return (await consoleBody<{ id: string }>(consoleUrl, 'POST', '/api/billing/payments', options)).id;
}

async function paymentStatus({ pool }: Pick<TestDatabase, 'pool'>): Promise<string | undefined> {
  const { rows } = await pool.query<{ status: string }>('SELECT status FROM billing.payments WHERE id = $1', [
    paymentId,
  ]);
  return rows[0]?.status;
}

async function topUpsOf({ pool }: RestoredDatabase): Promise<unknown[]> {
  const { rows } = await pool.query('SELECT kind FROM wallet.transfers WHERE reference = $1', [
    `payment:${paymentId}`,
  ]);
  return rows;
}

async function readClock(): Promise<string> {
  const { rows } = await database.pool.query<{ now: string }>(
    `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS now`,
  );
  return rows[0]!.now;
}

/** What `archive_timeout` does while the site runs. */
async function archiveLog(): Promise<void> {
  const { rows } = await database.pool.query<{ file: string }>(
    'SELECT pg_walfile_name(pg_switch_wal()) AS file',
  );
  await waitFor(async () => {
    const archived = await database.pool.query<{ file: string }>(
      'SELECT last_archived_wal AS file FROM pg_stat_archiver',
    );
    return archived.rows[0]!.file >= rows[0]!.file;
  });
}

async function readRecorded(): Promise<typeof recorded> {
  const events = await readEvents(database.pool);
  const { rows } = await database.pool.query<{ request_id: string; after: boolean }>(
    `SELECT request_id, pg_xact_commit_timestamp(xmin) > $1::timestamptz AS after FROM metering.usage_events`,
    [moment],
  );
  return new Map(rows.map(({ request_id: id, after }) => [id, { ...events.get(id)!, isAfterMoment: after }]));
}

async function restore(...args: string[]): Promise<RestoredDatabase> {
  const copy = await RestoredDatabase.create(database, backupDir, args);
  restored.push(copy);
  return copy;
}

/** The restored events are recorded ones, unchanged. The wallet has paid exactly for them. */
async function expectConsistent(copy: RestoredDatabase): Promise<Map<string, EventRow>> {
  const events = await readEvents(copy.pool);
  for (const [id, event] of events) expect(recorded.get(id)).toMatchObject(event);
  const cost = [...events.values()].reduce((sum, event) => sum + event.cost_picos, 0n);
  expect(await readLedgerTotals(copy.pool, account.accountId)).toEqual({
    events: cost,
    rollup: cost,
    debits: cost,
    balance: BALANCE_PICOS - cost,
  });
  expect(await runReconcile(copy)).toContain('no difference');
  return events;
}

test('the load went on through the backup, the moment and the kill', () => {
  expect(beforeMoment.length).toBeGreaterThanOrEqual(3 * STEP);
  expect(beforeArchived.length).toBeGreaterThanOrEqual(beforeMoment.length + STEP);
  expect(results.filter(({ complete }) => complete).length).toBeGreaterThanOrEqual(
    beforeArchived.length + STEP,
  );
});

describe('a restore to a moment', () => {
  let copy: RestoredDatabase;

  beforeAll(async () => (copy = await restore('--time', moment)));

  test('has every request that was settled before the moment, and none from after it', async () => {
    const events = await expectConsistent(copy);
    expect(await wronglyBilled(copy.pool, beforeMoment)).toEqual([]);
    const after = [...recorded].filter(([, { isAfterMoment }]) => isAfterMoment).map(([id]) => id);
    expect(after.length).toBeGreaterThanOrEqual(STEP);
    expect(after.filter((id) => events.has(id))).toEqual([]);
  });

  test('serves: all services start, requests are billed, and a later payment is credited once', async () => {
    expect(await paymentStatus(copy)).toBe('pending');
    const copySite = new Site(copy);
    try {
      const gateway = await copySite.startGateway(await copySite.startEngine());
      await copySite.startConsole(sandbox.consoleEnvironment());
      await copySite.startAgent(gateway);
      await copySite.startMemo(gateway);
      await copySite.startRouterCost();
      await copySite.startPlain('training');
      const { slug } = LOAD_PRICES[0]!;
      const body = { model: slug, messages: [{ role: 'user', content: 'Are you there?' }], max_tokens: 5 };
      const result = await rawCall({ gatewayUrl: gateway.url, apiKey: account.apiKey, body });
      expect(result).toMatchObject({ status: 200, complete: true });
      expect(await wronglyBilled(copy.pool, [result])).toEqual([]);
      await waitFor(async () => (await paymentStatus(copy)) === 'paid');
      expect(await topUpsOf(copy)).toEqual([{ kind: 'topup' }]);
    } finally {
      await copySite.stop();
    }
    expect(await runReconcile(copy)).toContain('no difference');
  });
});

test('a restore of the whole archive has every request that was settled before its last file', async () => {
  const copy = await restore();
  await expectConsistent(copy);
  expect(await wronglyBilled(copy.pool, beforeArchived)).toEqual([]);
  expect(await paymentStatus(copy)).toBe('paid');
});

test('with the log of the killed server a restore has every request that was answered', async () => {
  const copy = await restore('--wal', join(postgres.dataDir, 'pg_wal'));
  const events = await expectConsistent(copy);
  expect(events.size).toBe(recorded.size);
  expect(await wronglyBilled(copy.pool, results)).toEqual([]);
});

test('a moment outside the archive is refused with the bounds of the archive', async () => {
  const to = join(postgres.dataDir, '../refused');
  const restoreTo = (time: string) =>
    runCommand('restore', ['--from', backupDir, '--to', to, '--time', time]);
  expect(await restoreTo(new Date().toISOString())).toEqual({
    code: 2,
    output: expect.stringMatching(
      /^--time: must not be after the last transaction in the archive, of 20\S+Z\. .*\n$/,
    ) as string,
  });
  expect(await restoreTo('2020-02-02T02:02:02Z')).toEqual({
    code: 2,
    output: expect.stringMatching(
      /^--time: must not be before 20\S+Z, when the oldest base backup was complete\n$/,
    ) as string,
  });
});
