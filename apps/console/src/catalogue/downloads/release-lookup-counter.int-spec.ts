import { dayLasts } from '@inference/testing';
import { TestConsole, TestSite } from '../../testing/console.fixture';
import { ReleaseLookupCounter } from './release-lookup-counter';

let site: TestSite;

beforeAll(async () => {
  await dayLasts();
  site = await TestSite.start();
  await site.database.pool.query(
    `INSERT INTO catalogue.releases (component, tag_name, source, name, draft, prerelease, assets, published_at)
     VALUES ('engine', 'v1.0.0', 'admin', 'Engine', false, false, '[]', now()),
       ('memo', 'v3.0.0', 'admin', 'Memo', false, false, '[]', now())`,
  );
});
beforeEach(() => site.database.pool.query('DELETE FROM catalogue.release_lookups'));
afterAll(() => site.stop());

/** Reads the counts of today. */
const read = async () => {
  const { rows } = await site.database.pool.query<{ component: string; tag_name: string; lookups: number }>(
    `SELECT component, tag_name, lookups::integer FROM catalogue.release_lookups
     WHERE day = (now() AT TIME ZONE 'UTC')::date ORDER BY component, tag_name`,
  );
  return rows;
};
const written = () => site.console.app.get(ReleaseLookupCounter).flush();
const ask = (path: string, headers: Record<string, string> = {}) =>
  site.console.request('GET', `/api/download/${path}`, { headers });

it('counts responses with the latest release, but not 304 responses', async () => {
  const etag = (await ask('engine-latest')).headers.get('etag')!;
  expect((await ask('engine-latest', { 'If-None-Match': etag })).status).toBe(304);
  await ask('engine-latest');
  await ask('memo-latest');
  await written();
  expect(await read()).toEqual([
    { component: 'engine', tag_name: 'v1.0.0', lookups: 2 },
    { component: 'memo', tag_name: 'v3.0.0', lookups: 1 },
  ]);
  await ask('memo-latest');
  await written();
  expect((await read())[1]).toMatchObject({ lookups: 2 });
});

it('counts neither 404 responses nor HEAD requests', async () => {
  expect((await ask('router-latest')).status).toBe(404);
  const head = await fetch(`${site.console.url}/api/download/engine-latest`, { method: 'HEAD' });
  expect(head.status).toBe(200);
  await written();
  expect(await read()).toEqual([]);
});

it('sums the counts of several replicas per day', async () => {
  await site.database.pool.query(
    "INSERT INTO catalogue.release_lookups VALUES ('engine', 'v1.0.0', '2026-01-31', 40)",
  );
  const other = await TestConsole.start(site.database.urlFor('console'));
  await other.request('GET', '/api/download/engine-latest');
  await ask('engine-latest');
  // A shutdown writes the counts first.
  await Promise.all([other.close(), written()]);
  expect(await read()).toEqual([{ component: 'engine', tag_name: 'v1.0.0', lookups: 2 }]);
});

it('keeps its counts while the database is unavailable', async () => {
  const { pool } = site.database;
  await pool.query('REVOKE INSERT ON catalogue.release_lookups FROM console');
  await ask('engine-latest');
  await written();
  await ask('engine-latest');
  expect(await read()).toEqual([]);
  await pool.query('GRANT INSERT ON catalogue.release_lookups TO console');
  await written();
  expect(await read()).toMatchObject([{ lookups: 2 }]);
});
