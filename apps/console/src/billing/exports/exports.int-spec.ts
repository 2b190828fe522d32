import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '@inference/database';
import { Metrics } from '@inference/http';
import { type BackgroundJobs } from '@inference/jobs';
import { reconcile } from '@inference/metering';
import { FolderStorage, type ObjectStorage } from '@inference/storage';
import { hourLasts, REBUILD_MARGINS } from '@inference/testing';
import { postTransfer } from '@inference/wallet';
import { configFaults, configWith } from '../../testing/console-config.fixture';
import { settleRequests, type SignedIn, TestSite } from '../../testing/console.fixture';
import { closeHours, compareWithBooks, dyingAt, filesIn, readExported } from './exported-files.fixture';
import { claimHour, readProgress } from './exported-hours.repository';
import { ExportJob, ExportsService } from './exports.service';

const UNIT = 10n ** 12n;
const STRANGE = 'a "model", with\r\nlines';
/** Its cost in picos is beyond the integers that floating-point numbers hold. */
const RATE = 1_000_000_000_003n;

let site: TestSite;
let admin: SignedIn;
let customer: SignedIn;
let root: string;
let folders = 0;

const newFolder = () => join(root, String((folders += 1)));
const never = new AbortController().signal;
const unscheduled = { schedule: () => undefined } as unknown as BackgroundJobs;

const jobOf = (storage: ObjectStorage, from: Date | null = null, fileRows = 3) =>
  new ExportJob(
    site.console.app.get(Database),
    { backend: null, from, fileRows },
    storage,
    configWith().site,
    unscheduled,
    new Metrics(),
  );
const jobIn = (folder: string, from: Date | null = null) => jobOf(new FolderStorage(folder), from);

/** Forgets what was exported, so that a test exports the same hours again. */
const forget = () => site.database.pool.query('DELETE FROM billing.exported_hours');
/** Claims, and waits after a failure, are over. */
const letTimePass = () =>
  site.database.pool.query("UPDATE billing.exported_hours SET due_at = now() - interval '1 second'");
type Hour = Record<string, unknown> & { hour: string };
interface Page {
  exports: Hour[];
  next_cursor: string | null;
}
const pageOf = async (query = '') =>
  (await site.console.request('GET', `/api/admin/exports${query}`, { token: admin.token })).body as Page;
const hours = async () => (await pageOf()).exports;
const hourOf = (row: Hour | undefined) => new Date(row!.hour);

const settle = (calls: number) =>
  settleRequests(
    site.database.pool,
    customer.accountId,
    Array.from({ length: calls }, (_, call) => ({
      model: call % 2 ? STRANGE : 'm',
      rates: [
        { unit: 'per_million_input_tokens', ratePicos: RATE },
        { unit: 'per_million_output_tokens', ratePicos: 7n },
      ],
      usage: { inputTokens: 9_007 + call, outputTokens: call },
      apiKeyId: call === 1 ? null : customer.apiKeyId,
      told: { duration_ms: 120, finish_reason: 'stop' },
    })),
  );

beforeAll(async () => {
  await hourLasts();
  root = await mkdtemp(join(tmpdir(), 'exports-'));
  site = await TestSite.start();
  const { pool } = site.database;
  [admin, customer] = [await site.signedIn('admin'), await site.signedIn('user', 10n ** 9n * UNIT)];
  const correction = (reference: string, amountPicos: bigint) =>
    pool.transaction((transaction) =>
      postTransfer(transaction, {
        ...{ kind: 'adjustment', accountId: customer.accountId, amountPicos, reference },
        ...{ counterpart: 'equity:adjustments', description: '=HYPERLINK("for Ada")' },
      }),
    );
  await correction('adjustment:Ada', 3n);
  await correction('adjustment:Bob', -1n);
  await settle(5);
  await pool.query(
    `UPDATE metering.usage_events SET upstream_costs = '[{"upstream": "u", "list": "1", "served": true, "cost_picos": "2000000000001"}]'
     WHERE model = 'm'`,
  );
  for (const statement of REBUILD_MARGINS) await pool.query(statement);
  await closeHours(pool, 1);
  await settle(4);
  await closeHours(pool, 2);
});
afterAll(async () => {
  await site?.stop();
  await rm(root, { recursive: true, force: true });
});
beforeEach(forget);

const FROM = new Date('2020-01-01');

it('exports each closed hour, exact to the last digit, from the first one with data on', async () => {
  const folder = newFolder();
  await jobIn(folder, FROM).run(never);
  const files = await filesIn(folder);
  const exported = readExported(files);
  const { exported: sums, books } = await compareWithBooks(site.database.pool, exported);
  expect(sums).toEqual(books);
  expect(books.calls).toBe(9n);
  expect(exported.manifests.map(({ version, schema_version: schema }) => [version, schema])).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect(exported.usage.find(({ api_key_id: key }) => key === '')).toMatchObject({
    model: STRANGE,
    cost: '9008.000000027031',
    currency: 'USD',
    upstream_cost: '',
  });
  expect(
    exported.usage.find(({ input_tokens: tokens, output_tokens: more }) => tokens === '9007' && more === '0'),
  ).toMatchObject({
    ...{
      model: 'm',
      cost: '9007.000000027021',
      upstream_cost: '2.000000000001',
      upstream_cost_complete: 'true',
    },
    ...{
      settled_at: expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{6}Z$/),
      estimated: 'false',
      usd_per_unit: '1',
    },
  });
  expect(
    exported.ledger.map(({ cause, amount, counter_account: account }) => [cause, amount, account]),
  ).toEqual(
    expect.arrayContaining([
      ['correction', '0.000000000003', 'equity:adjustments'],
      ['correction', '-0.000000000001', 'equity:adjustments'],
      ['usage', expect.stringMatching(/^-\d+\.\d{12}$/), 'revenue:usage'],
    ]),
  );
  const [{ datasets }] = exported.manifests as [(typeof exported.manifests)[number]];
  expect(
    datasets.usage.files.map(({ name, rows }) => [
      name.replace(/\d{4}-\d\d-\d\d/, 'D').replace(/hour=\d\d/, 'H'),
      rows,
    ]),
  ).toEqual([
    ['usage/date=D/H/part-00001.csv.gz', 3],
    ['usage/date=D/H/part-00002.csv.gz', 2],
  ]);
  expect(datasets.ledger.sums.usage_amount).toBe(`-${datasets.usage.sums.cost}`);
  // Texts of staff may name customers.
  const text = JSON.stringify(exported);
  expect(text).not.toMatch(/Ada|Bob|HYPERLINK|@|bfvk-/);
  expect(await reconcile(site.database.pool)).toEqual([]);
});

it('begins with the newest closed hour without a day, and never before what is only in the archive', async () => {
  const { pool } = site.database;
  await jobIn(newFolder()).run(never);
  const [only, ...others] = await hours();
  expect(others).toEqual([]);
  const { rows } = await pool.query<{ until: Date }>(
    'SELECT rolled_until AS until FROM metering.rollup_progress',
  );
  expect(hourOf(only)).toEqual(new Date(rows[0]!.until.getTime() - 3_600_000));
  await forget();
  await pool.query(
    `INSERT INTO metering.archived_days (day, manifest, manifest_sha256, dropped_at)
     VALUES (date_trunc('day', $1::timestamptz, 'UTC'), '', '', now())`,
    [rows[0]!.until],
  );
  await jobIn(newFolder(), FROM).run(never);
  expect(await hours()).toEqual([]);
  await pool.query('DELETE FROM metering.archived_days');
});

it('counts how long the oldest open hour has been over', async () => {
  const { pool } = site.database;
  const lag = async () => (await readProgress(pool, FROM)).lagSeconds;
  // These hours are ahead of the clock.
  expect(await lag()).toBe(0);
  const post = (hours: number) =>
    pool.query(
      `UPDATE wallet.transfers SET created_at = created_at + make_interval(hours => $1) WHERE kind <> 'usage'`,
      [hours],
    );
  await post(-6);
  const seconds = await lag();
  expect(seconds).toBeGreaterThan(4.9 * 3_600);
  expect(seconds).toBeLessThan(6 * 3_600);
  await jobIn(newFolder(), FROM).run(never);
  expect(await lag()).toBe(0);
  await post(6);
});

it('leaves an hour to one process, whose claim ends', async () => {
  const { pool } = site.database;
  const claims = await Promise.all(Array.from({ length: 6 }, () => claimHour(pool, FROM)));
  const taken = claims.flatMap((claimed) => (claimed ? [claimed.hour.getTime()] : []));
  expect(new Set(taken).size).toBe(taken.length);
  expect(taken.length).toBeGreaterThan(0);
  while (await claimHour(pool, FROM));
  const folder = newFolder();
  await jobIn(folder, FROM).run(never);
  expect((await filesIn(folder)).size).toBe(0);
  await letTimePass();
  const two = [jobIn(folder, FROM), jobIn(folder, FROM)];
  await Promise.all(two.map((job) => job.run(never)));
  const { exported, books } = await compareWithBooks(pool, readExported(await filesIn(folder)));
  expect(exported).toEqual(books);
});

it('has the same files after a death at any operation of the storage, and never a manifest without its files', async () => {
  const undisturbed = newFolder();
  await jobIn(undisturbed).run(never);
  const expected = await filesIn(undisturbed);
  let deaths = 0;
  for (let last = 0; ; last += 1) {
    await forget();
    const folder = newFolder();
    const storage = new FolderStorage(folder);
    const hasDied = await new Promise<boolean>((resolve, reject) => {
      const dying = dyingAt(storage, last, () => Promise.resolve(resolve(true)));
      jobOf(dying)
        .run(never)
        .then(() => resolve(false), reject);
    });
    if (!hasDied) break;
    deaths += 1;
    // Throws if a file is missing.
    readExported(await filesIn(folder));
    await letTimePass();
    await jobIn(folder).run(never);
    expect(await filesIn(folder)).toEqual(expected);
  }
  expect(deaths).toBeGreaterThan(15);
});

describe('an hour', () => {
  const closing = async (work: () => Promise<unknown>) => {
    const folder = newFolder();
    const job = jobIn(folder, FROM);
    await job.run(never);
    const before = (await hours()).length;
    await work();
    await job.run(never);
    return { folder, before, job };
  };

  it('is exported only when no settlement of it is at work', async () => {
    const { pool } = site.database;
    const gateway = await pool.connect();
    await gateway.query('BEGIN');
    await settleRequests(gateway, customer.accountId, [
      {
        model: 'late',
        rates: [{ unit: 'per_request', ratePicos: RATE }],
        usage: { inputTokens: 1, outputTokens: 1 },
      },
    ]);
    const rolling = closeHours(pool, 3);
    const { folder, before, job } = await closing(() => new Promise((resolve) => setTimeout(resolve, 300)));
    expect(await hours()).toHaveLength(before);
    expect(readExported(await filesIn(folder)).usage.some(({ model }) => model === 'late')).toBe(false);
    await gateway.query('COMMIT');
    gateway.release();
    await rolling;
    await job.run(never);
    const exported = readExported(await filesIn(folder));
    expect(exported.usage.filter(({ model }) => model === 'late')).toHaveLength(1);
    const { exported: sums, books } = await compareWithBooks(pool, exported);
    expect(sums).toEqual(books);
  });

  it('is exported only when none of its usage waits to be folded', async () => {
    const { pool } = site.database;
    const { rows } = await pool.query<{ lease_id: string }>(
      "SELECT lease_id FROM wallet.draw_lease($1, NULL, NULL, 'lse_x', 'test', 100, 100, 60)",
      [customer.accountId],
    );
    const line = { unit: 'per_request', quantity: 1, tokens: 0, cost_picos: 100, cost_usd_picos: 100 };
    await pool.query('SELECT metering.append($1, $2)', [
      'stl_waiting',
      JSON.stringify([
        {
          ...{
            request_id: 'req_waiting',
            lease_id: rows[0]!.lease_id,
            limited: false,
            account_id: customer.accountId,
          },
          ...{
            started_at: new Date(),
            model: 'waiting',
            entrypoint: 'gateway',
            endpoint: 'chat/completions',
          },
          ...{ upstream: 'u', outcome: 'completed', input_tokens: 0, output_tokens: 0, estimated: false },
          ...{ price_list_id: 0, usd_per_unit: '1', cost_picos: 100, cost_usd_picos: 100, lines: [line] },
        },
      ]),
    ]);
    const holder = await pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM wallet.wallets WHERE account_id = $1 FOR SHARE', [customer.accountId]);
    const rolling = closeHours(pool, 4);
    const { folder, before, job } = await closing(() => new Promise((resolve) => setTimeout(resolve, 300)));
    expect(await hours()).toHaveLength(before);
    await holder.query('COMMIT');
    holder.release();
    await rolling;
    await job.run(never);
    const exported = readExported(await filesIn(folder));
    expect(exported.usage.filter(({ model }) => model === 'waiting')).toHaveLength(1);
    const { exported: sums, books } = await compareWithBooks(pool, exported);
    expect(sums).toEqual(books);
  });

  it('gets no usage after it was exported', async () => {
    const { pool } = site.database;
    const folder = newFolder();
    await jobIn(folder, FROM).run(never);
    const before = readExported(await filesIn(folder)).usage.length;
    const newest = hourOf((await hours())[0]).getTime();
    await settle(1);
    const { rows } = await pool.query<{ at: Date }>(
      'SELECT max(occurred_at) AS at FROM metering.usage_events',
    );
    expect(rows[0]!.at.getTime()).toBeGreaterThanOrEqual(newest + 3_600_000);
    await closeHours(pool, 5);
    await jobIn(folder, FROM).run(never);
    expect(readExported(await filesIn(folder)).usage).toHaveLength(before + 1);
  });
});

describe('an hour that differs from the books', () => {
  it.each([
    ['the cost of an event', 'metering.usage_events', 'cost_picos'],
    ['the cost of the rollup', 'metering.hourly_rollup', 'cost_picos'],
  ])('is not exported: %s', async (_name, table, column) => {
    const { pool } = site.database;
    const falsify = (by: number) =>
      pool.query(`UPDATE ${table} SET ${column} = ${column} + ${by} WHERE model = 'm'`);
    await falsify(1);
    const folder = newFolder();
    await expect(jobIn(folder, FROM).run(never)).rejects.toThrow('differs from the books');
    const [failed] = await hours();
    expect(failed).toMatchObject({
      state: 'failed',
      manifest: null,
      error: expect.stringContaining('cost of usage'),
    });
    expect(readExported(await filesIn(folder)).manifests).toEqual([]);
    await falsify(-1);
    await letTimePass();
    await jobIn(folder, FROM).run(never);
    expect(await hours()).toEqual((await hours()).map((row) => ({ ...row, state: 'exported', error: null })));
  });
});

describe('a storage that refuses', () => {
  it('fails the hour, which is tried again later', async () => {
    const storage = new FolderStorage(__filename);
    await expect(jobOf(storage, FROM).run(never)).rejects.toThrow('storage unavailable');
    expect(await hours()).toMatchObject([{ state: 'failed', error: 'storage unavailable' }]);
    const folder = newFolder();
    await jobIn(folder, FROM).run(never);
    expect((await hours()).at(-1)).toMatchObject({ state: 'failed' });
    await letTimePass();
    await jobIn(folder, FROM).run(never);
    const { exported, books } = await compareWithBooks(
      site.database.pool,
      readExported(await filesIn(folder)),
    );
    expect(exported).toEqual(books);
  });

  it('leaves the hour to others at once when its process stops', async () => {
    const stopping = new AbortController();
    const folder = newFolder();
    const storage = new FolderStorage(folder);
    const write = storage.write.bind(storage);
    storage.write = async (...file) => {
      await write(...file);
      stopping.abort();
    };
    await jobOf(storage, FROM).run(stopping.signal);
    expect(await hours()).toMatchObject([{ state: 'exporting', error: null }]);
    await jobIn(folder, FROM).run(never);
    const { exported, books } = await compareWithBooks(
      site.database.pool,
      readExported(await filesIn(folder)),
    );
    expect(exported).toEqual(books);
  });
});

describe('staff', () => {
  const repeat = (hour: string, token = admin.token) =>
    site.console.request('POST', `/api/admin/exports/${encodeURIComponent(hour)}/repeat`, { token });

  it('lists the hours, as CSV too', async () => {
    await jobIn(newFolder(), FROM).run(never);
    const [all, page] = [await hours(), await pageOf('?limit=1')];
    const next = await pageOf(`?limit=1&cursor=${page.next_cursor}`);
    const csv = await site.console.request('GET', '/api/admin/exports', {
      token: admin.token,
      headers: { Accept: 'text/csv' },
    });
    expect([...page.exports, ...next.exports]).toEqual(all.slice(0, 2));
    expect(all.at(-1)).toMatchObject({
      state: 'exported',
      version: 1,
      usage_rows: 5,
      usage_line_rows: 9,
      currency: 'USD',
    });
    const { usage_bytes: usage, usage_line_bytes: lines, ledger_bytes: ledger, bytes } = all.at(-1)!;
    expect(Number(usage) + Number(lines) + Number(ledger)).toBe(bytes);
    expect(csv.text.trim().split('\r\n')).toHaveLength(1 + all.length);
  });

  it('chooses hours by state and time', async () => {
    await jobIn(newFolder(), FROM).run(never);
    const all = await hours();
    await site.database.pool.query(
      "UPDATE billing.exported_hours SET exported_at = NULL, error = CASE WHEN hour = $1 THEN 'storage unavailable' END WHERE hour IN ($1, $2)",
      [all[0]!.hour, all[1]!.hour],
    );
    const found = async (query: string) => (await pageOf(`?${query}`)).exports.map(({ hour }) => hour);
    const named = all.map(({ hour }) => hour);
    expect(await found('state=failed')).toEqual(named.slice(0, 1));
    expect(await found('state=exporting')).toEqual(named.slice(1, 2));
    expect(await found('state=exported')).toEqual(named.slice(2));
    expect(await found(`from=${named[1]!}`)).toEqual(named.slice(0, 2));
    expect(await found(`to=${named[0]!}&from=${named.at(-1)!}`)).toEqual(named.slice(1));
    const page = await pageOf(`?limit=1&from=${named[1]!}`);
    expect((await pageOf(`?limit=1&from=${named[1]!}&cursor=${page.next_cursor}`)).exports).toHaveLength(1);
    const statusOf = async (query: string) =>
      (await site.console.request('GET', `/api/admin/exports?${query}`, { token: admin.token })).status;
    // A cursor is for the same hours only.
    for (const wrong of [`cursor=${page.next_cursor}`, 'state=done', 'from=yesterday', 'to=', 'day=1'])
      expect([wrong, await statusOf(wrong)]).toEqual([wrong, 400]);
  });

  it('sees how far the export is', async () => {
    const { pool } = site.database;
    const service = (backend: { folder: string } | null) =>
      new ExportsService(pool, configWith().site, { backend, from: FROM, fileRows: 3 });
    const on = service({ folder: 'f' });
    const { rows } = await pool.query<{ until: Date }>(
      'SELECT rolled_until AS until FROM metering.rollup_progress',
    );
    const until = rows[0]!.until.toISOString();
    const behind = await on.progress();
    expect(behind).toMatchObject({ enabled: true, closed_until: until, failed_hours: 0 });
    expect(behind.open_hours).toBeGreaterThan(1);
    await expect(jobOf(new FolderStorage(__filename), FROM).run(never)).rejects.toThrow('storage');
    expect(await on.progress()).toEqual({ ...behind, failed_hours: 1 });
    await letTimePass();
    await jobIn(newFolder(), FROM).run(never);
    expect(await on.progress()).toMatchObject({ open_hours: 0, failed_hours: 0 });
    expect(await service(null).progress()).toEqual({
      ...{ enabled: false, closed_until: null, open_hours: 0, failed_hours: 0, lag_seconds: 0 },
    });
    await pool.query('UPDATE metering.rollup_progress SET rolled_until = NULL');
    expect(await on.progress()).toMatchObject({ enabled: true, closed_until: null, open_hours: 0 });
    await pool.query('UPDATE metering.rollup_progress SET rolled_until = $1', [until]);
    const [analyst, support] = [await site.signedIn('analyst'), await site.signedIn('support')];
    const read = ({ token }: SignedIn) =>
      site.console.request('GET', '/api/admin/exports/progress', { token });
    expect((await read(analyst)).body).toMatchObject({ enabled: false });
    expect((await read(support)).status).toBe(403);
  });

  it('has an hour exported anew: with the next version, and without the earlier files', async () => {
    const folder = newFolder();
    await jobIn(folder, FROM).run(never);
    const before = await filesIn(folder);
    const oldest = (await hours()).at(-1)!.hour;
    const answer = await repeat(oldest);
    expect([answer.status, answer.body]).toMatchObject([
      202,
      { state: 'exporting', version: 2, manifest: null },
    ]);
    expect((await repeat(oldest)).status).toBe(409);
    expect((await repeat('2020-01-01T00:00:00Z')).status).toBe(404);
    expect((await repeat('yesterday')).status).toBe(400);
    expect(await filesIn(folder)).toEqual(before);
    await jobIn(folder, FROM).run(never);
    const after = await filesIn(folder);
    expect(after.size).toBe(before.size);
    expect([...after.keys()].filter((key) => key.includes('.v2.')).length).toBeGreaterThan(3);
    const { exported, books } = await compareWithBooks(site.database.pool, readExported(after));
    expect(exported).toEqual(books);
    const events = await site.console.request('GET', '/api/admin/events?type=admin.export_repeated', {
      token: admin.token,
    });
    expect(events.body).toMatchObject({ events: [{ details: { hour: oldest, version: '2' } }] });
  });
});

describe('the configuration', () => {
  it.each([
    [
      { EXPORT_FROM: '2026-01-31' },
      'EXPORT_FROM: is set, but neither EXPORT_STORAGE_FOLDER nor EXPORT_S3_BUCKET is',
    ],
    [{ EXPORT_S3_BUCKET: 'b' }, 'EXPORT_S3_REGION: is missing beside EXPORT_S3_BUCKET'],
    [{ EXPORT_S3_PREFIX: 'p/' }, 'EXPORT_S3_PREFIX: is set, but EXPORT_S3_BUCKET is not'],
    [
      { EXPORT_STORAGE_FOLDER: 'f', EXPORT_FROM: '31.1.2026' },
      'EXPORT_FROM: must be a day such as 2026-01-31',
    ],
  ])('refuses %j', (changes, fault) => expect(configFaults(changes)).toEqual([fault]));

  it('exports nothing by default', () => {
    expect(configWith().export.backend).toBeNull();
    const { backend, from } = configWith({ EXPORT_STORAGE_FOLDER: 'f', EXPORT_FROM: '2026-01-31' }).export;
    expect([backend, from?.toISOString()]).toEqual([{ folder: 'f' }, '2026-01-31T00:00:00.000Z']);
  });
});
