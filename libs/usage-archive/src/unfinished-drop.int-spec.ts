import { renameSync } from 'node:fs';
import { waitFor } from '@inference/testing';
import { ArchiveSite, daysAfter, EARLIER, MONTH, monthStart, MONTHS } from './archive-site.fixture';

let site: ArchiveSite;

beforeEach(async () => {
  site = await ArchiveSite.start();
});
afterEach(() => site?.stop());

async function dropRestoredDay(): Promise<void> {
  await site.export();
  await site.restore(EARLIER, daysAfter(EARLIER, 1));
  await site.exportUntil('DROP TABLE', true);
}

/** A report reads the partitions, so that detaching one has to wait in its middle; there the process dies. */
async function halfDetach(): Promise<void> {
  const { pool } = site.database;
  const report = await pool.connect();
  try {
    await report.query('BEGIN');
    await report.query('SELECT count(*) FROM metering.usage_events');
    const killed = site.export().catch(() => Promise.reject(new Error('killed')));
    await Promise.race([
      killed,
      waitFor(async () => {
        const { rowCount } = await pool.query('SELECT FROM pg_inherits WHERE inhdetachpending');
        return rowCount === 1;
      }),
    ]);
    await pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'usage-archive'",
    );
    await killed;
  } finally {
    await report.query('ROLLBACK');
    report.release();
  }
}

it.each<[string, () => Promise<void>]>([
  ['a month that was to be detached', () => site.exportUntil('DETACH PARTITION')],
  ['a month that was detached by half', halfDetach],
  ['a month that was detached', () => site.exportUntil('DROP TABLE')],
  ['a restored day that was detached', dropRestoredDay],
])('stays while the storage has not got its events: %s', async (_what, work) => {
  await expect(work()).rejects.toThrow('killed');
  const tables = await site.tables();
  const path = site.pathOf(EARLIER, 'accounts-0002.ndjson.gz');
  renameSync(path, `${path}.lost`);
  await expect(site.export()).rejects.toThrow('accounts-0002.ndjson.gz is missing');
  await expect(site.restore(EARLIER, MONTH)).rejects.toThrow('accounts-0002.ndjson.gz is missing');
  expect(await site.tables()).toEqual(tables);
  renameSync(`${path}.lost`, path);
  await site.export();
  expect((await site.tables()).length).toBeLessThan(tables.length);
  await site.restore(EARLIER, monthStart(MONTHS));
  expect(await site.differences()).toEqual([]);
});

it('of a day that was restored in part is not needed', async () => {
  const before = await site.events();
  await site.export();
  const tables = await site.tables();
  await expect(site.restoreUntil('ATTACH PARTITION', EARLIER, MONTH)).rejects.toThrow('killed');
  expect((await site.tables()).length).toBe(tables.length + 1);
  await site.export();
  expect(await site.tables()).toEqual(tables);
  await site.restore(EARLIER, monthStart(MONTHS));
  expect(await site.events()).toEqual(before);
});
