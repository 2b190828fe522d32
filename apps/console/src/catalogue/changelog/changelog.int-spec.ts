import { type Answer, type SignedIn, TestSite } from '../../testing/console.fixture';
import { type ChangelogEntryResponse } from './changelog.dto';

const ADMIN = '/api/admin/changelog';
const ENTRY = { title: 'Faster engine', body: 'It is *faster*.\n\n* twice\n' };
const AT = '2026-01-31T12:30:00.000Z';

type Page = { entries: ChangelogEntryResponse[]; next_cursor: string | null };

describe('the changelog', () => {
  let site: TestSite;
  let admin: SignedIn;
  const publish = (json: unknown) => site.console.request('POST', ADMIN, { token: admin.token, json });
  const published = async (json: unknown) => (await publish(json)).body as ChangelogEntryResponse;
  const replace = (id: string, json: unknown) =>
    site.console.request('PUT', `${ADMIN}/${id}`, { token: admin.token, json });
  const remove = (id: string) => site.console.request('DELETE', `${ADMIN}/${id}`, { token: admin.token });
  const read = (query = '') => site.console.request('GET', `/api/changelog${query}`);
  const page = async (query = '') => (await read(query)).body as Page;
  const events = async (id: string) => {
    const { rows } = await site.database.pool.query(
      `SELECT actor_id, account_id, details->>'action' AS action FROM accounts.security_events
       WHERE type = 'admin.changelog_changed' AND details->>'entry_id' = $1 ORDER BY created_at`,
      [id],
    );
    return rows;
  };

  beforeAll(async () => {
    site = await TestSite.start();
    admin = await site.signedIn('admin');
  });
  beforeEach(() => site.database.pool.query('DELETE FROM catalogue.changelog_entries'));
  afterAll(() => site.stop());

  it('is empty at first', async () => {
    const answer = await read();
    expect([answer.status, answer.body]).toEqual([200, { entries: [], next_cursor: null }]);
  });

  it('shows an entry as it was published', async () => {
    const content = { ...ENTRY, component: 'engine', tag_name: 'v1.2.3-rc.1', published_at: AT };
    const answer = await publish({ ...content, title: `  ${ENTRY.title} ` });
    const { id } = answer.body as ChangelogEntryResponse;
    expect([answer.status, answer.body]).toEqual([201, { id, ...content }]);
    expect(id).toMatch(/^[\w-]+$/);
    expect(await page()).toEqual({ entries: [{ id, ...content }], next_cursor: null });
    expect(await events(id)).toEqual([
      { actor_id: admin.accountId, account_id: admin.accountId, action: 'published' },
    ]);
  });

  it('dates an entry now by default, and omits missing fields', async () => {
    const before = Date.now();
    const { id, published_at: at } = await published(ENTRY);
    expect(await page()).toEqual({ entries: [{ id, ...ENTRY, published_at: at }], next_cursor: null });
    expect(Math.abs(Date.parse(at) - before)).toBeLessThan(60_000);
  });

  it('takes a time with an offset and nanoseconds', async () => {
    const { published_at: at } = await published({
      ...ENTRY,
      published_at: '2026-01-31T20:30:00.123456789+08:00',
    });
    expect(at).toBe('2026-01-31T12:30:00.123Z');
  });

  it('replaces an entry completely except for its time', async () => {
    const { id } = await published({ ...ENTRY, component: 'memo', tag_name: 'v1.0.0', published_at: AT });
    const other = { title: 'Another', body: 'b' };
    const answer = await replace(id, other);
    expect([answer.status, answer.body]).toEqual([200, { id, ...other, published_at: AT }]);
    const later = { ...other, component: 'agent', published_at: '2026-02-01T00:00:00.000Z' };
    expect((await replace(id, later)).body).toEqual({ id, ...later });
    expect(await page()).toEqual({ entries: [{ id, ...later }], next_cursor: null });
    expect((await events(id)).map(({ action }) => action)).toEqual(['published', 'replaced', 'replaced']);
  });

  it('no longer shows a removed entry', async () => {
    const { id } = await published(ENTRY);
    const answer = await remove(id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await page()).entries).toEqual([]);
    for (const again of [await remove(id), await replace(id, ENTRY)])
      expect([again.status, again.body]).toEqual([404, { error: 'no such entry' }]);
    expect((await events(id)).map(({ action }) => action)).toEqual(['published', 'removed']);
  });

  it.each(['chg_unknown', '%00', 'a%20b', "'--", '%F0%9F%98%80', 'k'.repeat(3000)])(
    'has no entry %s',
    async (id) => {
      expect((await remove(id)).status).toBe(404);
      expect((await replace(id, ENTRY)).status).toBe(404);
    },
  );

  it('is listed newest first, in pages without gaps or repetitions', async () => {
    const minutes = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5];
    for (const minute of minutes)
      await published({ ...ENTRY, title: `${minute}`, published_at: `2026-01-31T12:0${minute}:00.5Z` });
    const whole = (await page()).entries;
    expect(whole.map(({ title }) => Number(title))).toEqual([...minutes].sort((a, b) => b - a));
    const collected: ChangelogEntryResponse[] = [];
    let cursor: string | null = null;
    do {
      const { entries, next_cursor }: Page = await page(`?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      expect(entries.length).toBeLessThanOrEqual(2);
      collected.push(...entries);
      cursor = next_cursor;
    } while (cursor);
    expect(collected).toEqual(whole);
  });

  it('can be filtered by component, with separate cursors', async () => {
    for (const component of ['engine', 'router', 'engine', undefined, 'engine'])
      await published({ ...ENTRY, component });
    const first = await page('?component=engine&limit=2');
    expect(first.entries.map(({ component }) => component)).toEqual(['engine', 'engine']);
    const second = await page(`?component=engine&cursor=${first.next_cursor}`);
    expect([second.entries.length, second.next_cursor]).toEqual([1, null]);
    for (const query of ['', '&component=router'])
      expect((await read(`?cursor=${first.next_cursor}${query}`)).status).toBe(400);
    expect((await page('?component=memo')).entries).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=all',
    'component=kernel',
    'component=',
    'cursor=rubbish',
    'cursor=%00',
    'colour=red',
  ])('refuses ?%s', async (query) => {
    const answer = await read(`?${query}`);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: expect.stringContaining(query.split('=')[0]!) },
    ]);
  });

  it.each<[object, string]>([
    [{ title: undefined }, 'title'],
    [{ title: ' ' }, 'title'],
    [{ title: 'x'.repeat(201) }, 'title'],
    [{ title: 'two\nlines' }, 'title'],
    [{ title: 'two\u2028lines' }, 'title'],
    [{ title: 'a\u0001' }, 'title'],
    [{ title: 'a\ufffe' }, 'title'],
    [{ title: 1 }, 'title'],
    [{ body: undefined }, 'body'],
    [{ body: ' \n' }, 'body'],
    [{ body: 'x'.repeat(50_001) }, 'body'],
    [{ body: 'a\0' }, 'body'],
    [{ body: 'a\u001b[31m' }, 'body'],
    [{ body: 'a\uffff' }, 'body'],
    [{ body: 'a\ud800' }, 'body'],
    [{ component: 'kernel' }, 'component'],
    [{ component: null }, 'component'],
    [{ tag_name: 'v1.2.3' }, 'tag_name'],
    [{ component: 'engine', tag_name: '1.2.3' }, 'tag_name'],
    [{ component: 'engine', tag_name: 'v1.2' }, 'tag_name'],
    [{ component: 'engine', tag_name: 'v1.2.3+build' }, 'tag_name'],
    [{ component: 'engine', tag_name: 'v01.2.3' }, 'tag_name'],
    [{ component: 'engine', tag_name: 'v1.2.3-' }, 'tag_name'],
    [{ component: 'engine', tag_name: 'v1.2.3 ' }, 'tag_name'],
    [{ component: 'engine', tag_name: `v1.2.3-${'x'.repeat(300)}` }, 'tag_name'],
    [{ published_at: '2026-01-31' }, 'published_at'],
    [{ published_at: '2026-01-31T12:30:00' }, 'published_at'],
    [{ published_at: '1969-12-31T23:59:59Z' }, 'published_at'],
    [{ published_at: '2026-02-30T12:30:00Z' }, 'published_at'],
    [{ published_at: '0001-01-01T00:00:00Z' }, 'published_at'],
    [{ published_at: '9999-12-31T23:59:59Z' }, 'published_at'],
    [{ published_at: 1 }, 'published_at'],
    [{ author: 'me' }, 'author'],
  ])('refuses an entry with %j', async (fault, field) => {
    const { id } = await published(ENTRY);
    const before = await read();
    for (const answer of [await publish({ ...ENTRY, ...fault }), await replace(id, { ...ENTRY, ...fault })])
      expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
    expect((await read()).text).toBe(before.text);
    expect(await events(id)).toHaveLength(1);
  });

  it('accepts the longest allowed texts and any character that XML can represent', async () => {
    const body = '\t\r\n\u0085😀<b>&amp;]]>'.padEnd(50_000, '字');
    const wide = { title: '名'.repeat(200), body };
    expect(await published(wide)).toMatchObject(wide);
    expect((await page()).entries[0]).toMatchObject(wide);
  });

  it('answers 401 without credentials and 403 to customers', async () => {
    const { id } = await published(ENTRY);
    const attempts = [
      ['POST', ADMIN] as const,
      ['PUT', `${ADMIN}/${id}`] as const,
      ['DELETE', `${ADMIN}/${id}`] as const,
    ];
    const { token } = await site.signedIn();
    for (const [method, path] of attempts) {
      const json = method === 'DELETE' ? undefined : ENTRY;
      expect((await site.console.request(method, path, { json })).status).toBe(401);
      expect((await site.console.request(method, path, { json, token })).status).toBe(403);
    }
    expect((await page()).entries).toHaveLength(1);
  });

  it('changes nothing if the audit event cannot be recorded', async () => {
    const { id } = await published(ENTRY);
    const before = await read();
    await site.database.pool.query('REVOKE INSERT ON accounts.security_events FROM console');
    const attempts: (() => Promise<Answer>)[] = [
      () => publish(ENTRY),
      () => replace(id, { ...ENTRY, title: 'other' }),
      () => remove(id),
    ];
    for (const attempt of attempts) expect((await attempt()).status).toBe(500);
    await site.database.pool.query('GRANT INSERT ON accounts.security_events TO console');
    expect((await read()).text).toBe(before.text);
  });
});
