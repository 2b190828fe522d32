import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { REBUILD_MARGINS, waitFor, waitForLock } from '@inference/testing';
import { ArchiveSite, daysAfter, EARLIER, MONTH, monthStart, MONTHS } from './archive-site.fixture';
import { ArchiveBusyError } from './database/archive-session.repository';
import { EVENT_COLUMNS, LATER_COLUMNS, readEvents } from './database/events.repository';
import { dayText, parseManifest } from './files/manifest';

const tableOfMonth = (month: Date) => `usage_events_${dayText(month).slice(0, 7).replace('-', '_')}`;

let site: ArchiveSite;

beforeEach(async () => {
  site = await ArchiveSite.start();
});
afterEach(() => site?.stop());

it('archives old months, removes them, and restores them byte by byte', async () => {
  // Events of all kinds: what gateways told of a stream, of a plain answer, and nothing.
  await site.database.pool.query(
    `UPDATE metering.usage_events SET duration_ms = 1200, finish_reason = 'stop',
       time_to_first_token_ms = CASE WHEN abs(hashtext(request_id)) % 3 = 0 THEN 0 END
     WHERE abs(hashtext(request_id)) % 3 < 2`,
  );
  const before = await site.events();
  expect(await site.differences()).toEqual([]);
  const tables = await site.tables();
  await site.export();
  const kept = await site.events();
  expect(kept.length).toBeLessThan(before.length / 2);
  expect(kept).toEqual(before.slice(-kept.length));
  expect(await site.tables()).toEqual(
    tables.filter((name) => ![tableOfMonth(MONTH), tableOfMonth(EARLIER)].includes(name)),
  );
  expect(await site.differences()).toEqual([]);
  expect(await site.verify()).toEqual({ days: 4, faults: [] });

  await site.restore(EARLIER, daysAfter(MONTH, 1));
  expect(site.log.filter((line) => line.startsWith('Restored'))).toHaveLength(3);
  expect(await site.differences()).toEqual([]);
  await site.restore(daysAfter(MONTH, -3), daysAfter(MONTH, 40));
  expect(await site.events()).toEqual(before);
  expect(await site.differences()).toEqual([]);
  expect(await site.verify()).toEqual({ days: 4, faults: [] });
});

it('reads manifests of this and earlier schema versions', async () => {
  await site.export();
  const { schema_version: version } = site.readManifest(EARLIER);
  const text = JSON.stringify(site.readManifest(EARLIER));
  const ofVersion = (other: number) => () =>
    parseManifest(EARLIER, text.replace(`"schema_version":${version}`, `"schema_version":${other}`));
  expect(ofVersion(1)().rows).toBeGreaterThan(0);
  expect(ofVersion(version)().rows).toBeGreaterThan(0);
  expect(ofVersion(version + 1)).toThrow(`the manifest has schema version ${version + 1}`);
});

it('shares a storage with another database', async () => {
  const other = await ArchiveSite.start(undefined, site.folder);
  try {
    const sites = [site, other];
    // The same days, but other events.
    await other.database.pool.query("UPDATE metering.usage_events SET upstream = 'other'");
    for (const statement of REBUILD_MARGINS) await other.database.pool.query(statement);
    const before = await Promise.all(sites.map((each) => each.events()));
    await Promise.all(sites.map((each) => each.export()));
    for (const each of sites) {
      expect(await each.verify()).toEqual({ days: 4, faults: [] });
      await each.restore(EARLIER, monthStart(MONTHS));
      expect(await each.differences()).toEqual([]);
    }
    expect(await Promise.all(sites.map((each) => each.events()))).toEqual(before);
  } finally {
    await other.stop();
  }
});

it('writes files that other tools read, whole accounts in each', async () => {
  const day = daysAfter(EARLIER, 9);
  const { rows } = await site.database.pool.query<{ request_id: string; cost: string; account_id: string }>(
    `SELECT request_id, cost_picos::text AS cost, account_id FROM metering.usage_events
     WHERE occurred_at >= $1 AND occurred_at < $2`,
    [day, daysAfter(day, 1)],
  );
  await site.export();
  const manifest = site.readManifest(day);
  expect(site.filesOf(day)).toEqual([...manifest.files.map(({ name }) => name), 'manifest.json']);
  expect(manifest.files.length).toBeGreaterThan(1);
  const events = manifest.files.map((file) => {
    const stored = readFileSync(site.pathOf(day, file.name));
    expect(createHash('sha256').update(stored).digest('hex')).toBe(file.sha256);
    const lines = gunzipSync(stored).toString().split('\n');
    expect([lines.length - 1, lines.at(-1)]).toEqual([file.rows, '']);
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
  });
  expect(
    events
      .flat()
      .map(({ request_id, cost_picos, account_id }) => [request_id, cost_picos, account_id])
      .sort(),
  ).toEqual(rows.map(({ request_id, cost, account_id }) => [request_id, cost, account_id]).sort());
  expect(Object.keys(events[0]![0]!)).toEqual([
    ...EVENT_COLUMNS.slice(0, -LATER_COLUMNS.length),
    'upstream_costs',
  ]);
  const accounts = events.map((file) => new Set(file.map(({ account_id }) => account_id)));
  expect(accounts.reduce((sum, { size }) => sum + size, 0)).toBe(
    new Set(events.flat().map((e) => e.account_id)).size,
  );
  expect(manifest.cost_picos).toBe(String(rows.reduce((sum, { cost }) => sum + BigInt(cost), 0n)));
});

it('sorts the events alike on every server', async () => {
  await site.database.pool.query(`
    CREATE TABLE metering.sorted (LIKE metering.usage_events);
    ALTER TABLE metering.sorted ALTER request_id TYPE text COLLATE "und-x-icu", ALTER account_id TYPE text COLLATE "und-x-icu"`);
  for (const account of ['a', 'B'])
    await site.database.pool.query(
      `INSERT INTO metering.sorted SELECT (jsonb_populate_record(NULL::metering.usage_events,
         to_jsonb(e) || jsonb_build_object('account_id', $2::text, 'request_id', id))).*
       FROM (SELECT * FROM metering.usage_events WHERE occurred_at < $1 LIMIT 1) e, unnest(ARRAY['a', 'B']) AS id`,
      [daysAfter(EARLIER, 1), account],
    );
  const rows = await site.inSession(async (client) => {
    for await (const batch of readEvents(client, 'sorted', EARLIER)) return batch;
    return [];
  });
  expect(rows.map(({ accountId, requestId }) => [accountId, requestId])).toEqual([
    ['B', 'B'],
    ['B', 'a'],
    ['a', 'B'],
    ['a', 'a'],
  ]);
});

it('has each column of the events', async () => {
  const { rows } = await site.database.pool.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'metering.usage_events'::regclass AND attnum > 0 AND NOT attisdropped`,
  );
  // Whoever adds a column gives the files a new schema version.
  expect(rows.map(({ name }) => name).sort()).toEqual([...EVENT_COLUMNS].sort());
});

it('leaves restored days alone until it is told to remove them', async () => {
  await site.export();
  const archived = await site.events();
  await site.restore(MONTH, daysAfter(MONTH, 1));
  const restored = await site.events();
  expect(restored.length).toBeGreaterThan(archived.length);
  await site.export();
  expect(await site.events()).toEqual(restored);
  await site.export(true);
  expect(await site.events()).toEqual(archived);
  expect(await site.differences()).toEqual([]);
});

it('leaves hours alone that are not rolled up', async () => {
  const before = await site.events();
  await site.database.pool.query('SELECT metering.forget_rollups($1)', [MONTH]);
  await site.export();
  expect((await site.events()).length).toBeGreaterThan(0);
  expect(await site.tables()).toContain(tableOfMonth(MONTH));
  expect(await site.tables()).not.toContain(tableOfMonth(EARLIER));
  await site.database.pool.query("SELECT metering.forget_rollups('-infinity')");
  await site.database.pool.query('UPDATE metering.rollup_progress SET rolled_until = NULL');
  await site.export();
  expect(await site.tables()).toContain(tableOfMonth(MONTH));
  await site.restore(EARLIER, MONTH);
  expect(await site.events()).toEqual(before);
});

describe('refuses to remove a month', () => {
  const first = 'SELECT ctid FROM metering.usage_events ORDER BY occurred_at, request_id LIMIT 1';
  it.each([
    [
      'with an event that was lost',
      `DELETE FROM metering.usage_events WHERE ctid = (${first}) AND occurred_at < $1`,
    ],
    [
      'whose rollup has more',
      'UPDATE metering.hourly_rollup SET cost_picos = cost_picos + 1 WHERE hour < $1',
    ],
    [
      'whose rollup has it for another key',
      "UPDATE metering.hourly_rollup SET api_key_id = 'key_other' WHERE hour < $1 AND api_key_id <> ''",
    ],
    ['without the events of a day', 'DELETE FROM metering.usage_events WHERE occurred_at < $1'],
  ])('%s', async (_what, statement) => {
    await site.database.pool.query(statement, [daysAfter(EARLIER, 1)]);
    const before = await site.events();
    await expect(site.export()).rejects.toThrow(dayText(EARLIER));
    expect(await site.events()).toEqual(before);
    expect(existsSync(site.pathOf(EARLIER, 'manifest.json'))).toBe(false);
  });

  it('whose archive is that of an altered copy of the database', async () => {
    await site.export();
    const text = readFileSync(site.pathOf(MONTH, 'manifest.json'));
    await site.restore(EARLIER, monthStart(MONTHS));
    await site.database.pool.query('DELETE FROM metering.archived_days');
    await site.database.pool.query(
      `UPDATE metering.usage_events SET upstream = 'other' WHERE occurred_at >= $1 AND occurred_at < $2`,
      [MONTH, daysAfter(MONTH, 1)],
    );
    const before = await site.events();
    await expect(site.export()).rejects.toThrow('other events than the database');
    expect((await site.events()).slice(-before.length / 4)).toEqual(before.slice(-before.length / 4));
    expect(readFileSync(site.pathOf(MONTH, 'manifest.json'))).toEqual(text);
  });
});

it('takes as long as it needs, whatever the limits of the database', async () => {
  const { rows } = await site.database.pool.query<{ name: string; database: string }>(
    `SELECT name, current_database() AS database FROM pg_settings
     WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`,
  );
  for (const { name, database } of rows)
    await site.database.pool.query(`ALTER DATABASE ${database} SET ${name} = '10s'`);
  expect(rows.length).toBeGreaterThanOrEqual(3);
  const limits = await site.inSession((client) =>
    client.query<{ setting: string }>('SELECT setting FROM pg_settings WHERE name = ANY ($1)', [
      rows.map(({ name }) => name),
    ]),
  );
  expect(limits.rows.map(({ setting }) => setting)).toEqual(rows.map(() => '0'));
});

describe('other processes', () => {
  it('do not work at the same time', async () => {
    await site.inSession(async () => {
      await expect(site.export()).rejects.toThrow(ArchiveBusyError);
    });
    await site.export();
  });

  it('settle while a month is removed, although a long report reads it', async () => {
    const reader = await site.database.pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT count(*) FROM metering.usage_events');
    const exporting = site.export();
    await waitForLock(site.database.pool);
    for (let settled = 0; settled < 20; settled += 1) {
      await site.usage.settleNow();
      await site.database.pool.query('SELECT metering.ensure_partitions()');
    }
    expect(await site.tables()).toContain(tableOfMonth(EARLIER));
    expect((await reader.query('SELECT FROM metering.usage_events')).rowCount).toBeGreaterThan(20);
    await reader.query('COMMIT');
    reader.release();
    await exporting;
    expect(await site.differences()).toEqual([]);
    expect(await site.tables()).not.toContain(tableOfMonth(EARLIER));
  });

  it('settle and reconcile all the time', async () => {
    let isOver = false;
    let settled = 0;
    const settling = (async () => {
      for (; !isOver; settled += 1) await site.usage.settleNow();
    })();
    const found: string[] = [];
    const reconciling = (async () => {
      while (!isOver) found.push(...(await site.differences()));
    })();
    await site.export();
    await site.restore(EARLIER, monthStart(MONTHS));
    await site.export(true);
    const before = settled;
    await waitFor(() => settled > before);
    isOver = true;
    await Promise.all([settling, reconciling]);
    expect(found).toEqual([]);
  });
});
