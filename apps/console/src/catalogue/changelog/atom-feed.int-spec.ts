import { newId } from '@inference/database';
import { validated } from '@inference/dto';
import * as fc from 'fast-check';
import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { ATOM_SCHEMA } from '../xml-schemas.fixture';
import { faultsOf, textsOf } from '../xmllint.fixture';
import { ChangelogEntryDto, type ChangelogEntryResponse } from './changelog.dto';
import { atomFeed } from './changelog.service';

const NAME = `Tom & "Jerry's" <AI>`;
const UI = 'https://ui.test/a&b';
const SITE = { name: NAME, consoleUrl: 'http://console.test', consoleUiUrl: UI };

describe('the Atom feed of the changelog', () => {
  let site: TestSite;
  let admin: SignedIn;
  const publish = async (json: object) => {
    const answer = await site.console.request('POST', '/api/admin/changelog', { token: admin.token, json });
    return answer.body as ChangelogEntryResponse;
  };
  const read = () => site.console.request('GET', '/api/changelog.atom');

  beforeAll(async () => {
    site = await TestSite.start({ SITE_NAME: NAME, CONSOLE_UI_URL: UI });
    admin = await site.signedIn('admin');
  });
  beforeEach(() => site.database.pool.query('DELETE FROM catalogue.changelog_entries'));
  afterAll(() => site.stop());

  it('is sent for any query', async () => {
    expect((await site.console.request('GET', '/api/changelog.atom?colour=red')).status).toBe(200);
  });

  it('is valid without entries', async () => {
    const { status, headers, text } = await read();
    expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8']);
    expect(await faultsOf(text, ATOM_SCHEMA)).toEqual([]);
    expect(await textsOf(text, 'updated')).toEqual(['1970-01-01T00:00:00.000Z']);
    expect(await textsOf(text, 'title')).toEqual([NAME]);
    expect(await textsOf(text, 'name')).toEqual([NAME]);
    expect(text).toContain(
      'rel="self" type="application/atom+xml" href="http://console.test/api/changelog.atom"',
    );
    expect(text).toContain('rel="alternate" type="text/html" href="https://ui.test/a&amp;b/changelog"');
  });

  it('contains the entries, newest first, with unchanged text', async () => {
    const first = {
      title: '<b>1</b> & 2',
      body: 'a < b\r\n\t*]]>* &lt;\n',
      published_at: '2026-01-31T00:00:00.000Z',
    };
    const second = { title: '2', body: 'b', component: 'engine', published_at: '2026-02-01T00:00:00.000Z' };
    const ids = [(await publish(second)).id, (await publish(first)).id];
    const { text } = await read();
    expect(await faultsOf(text, ATOM_SCHEMA)).toEqual([]);
    expect(await textsOf(text, 'title')).toEqual([NAME, second.title, first.title]);
    expect(await textsOf(text, 'content')).toEqual([second.body, first.body]);
    expect(await textsOf(text, 'published')).toEqual([second.published_at, first.published_at]);
    expect([...text.matchAll(/<link [^>]*href="([^"]*)"\/>\s*<published>/g)].map(([, href]) => href)).toEqual(
      ids.map((id) => `https://ui.test/a&amp;b/changelog#${id}`),
    );
    expect([...text.matchAll(/<category term="(\w+)"\/>/g)].map(([, term]) => term)).toEqual(['engine']);
  });

  it('keeps the ids of its entries and dates their changes', async () => {
    const { id } = await publish({ title: 't', body: 'b' });
    await publish({ title: 'u', body: 'b' });
    await site.database.pool.query(
      "UPDATE catalogue.changelog_entries SET changed_at = '2026-01-01T00:00:00Z'",
    );
    const before = (await read()).text;
    expect(await textsOf(before, 'updated')).toEqual(Array(3).fill('2026-01-01T00:00:00.000Z'));
    await site.console.request('PUT', `/api/admin/changelog/${id}`, {
      token: admin.token,
      json: { title: 'changed', body: 'c' },
    });
    const after = (await read()).text;
    expect(await textsOf(after, 'id')).toEqual(await textsOf(before, 'id'));
    const [ofFeed, newest, changed] = await textsOf(after, 'updated');
    expect([ofFeed, newest]).toEqual([changed, '2026-01-01T00:00:00.000Z']);
    expect(Date.parse(changed!)).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'));
  });

  it('contains the newest 50 entries', async () => {
    await site.database.pool.query(
      `INSERT INTO catalogue.changelog_entries (id, title, body, published_at, published_by)
       SELECT 'chg_' || n, n, 'b', '2026-01-01'::timestamptz + n * interval '1 minute', $1 FROM generate_series(1, 60) n`,
      [admin.accountId],
    );
    const { text } = await read();
    expect(await faultsOf(text, ATOM_SCHEMA)).toEqual([]);
    expect(await textsOf(text, 'title')).toEqual([
      NAME,
      ...Array.from({ length: 50 }, (_, n) => String(60 - n)),
    ]);
  });

  it('is valid for any accepted entry, and preserves its text', async () => {
    const content = fc.record({ title: fc.string({ unit: 'binary' }), body: fc.string({ unit: 'binary' }) });
    const checked = fc
      .sample(content, 600)
      .map((entry) => validated(ChangelogEntryDto, entry).catch(() => null));
    const accepted = (await Promise.all(checked))
      .filter((entry) => entry !== null)
      .map(({ title, body }) => ({ title, body }));
    expect(accepted.length).toBeGreaterThan(100);
    const now = new Date();
    const entries = accepted.map((entry) => ({
      ...entry,
      id: newId('chg'),
      component: null,
      tagName: null,
      publishedAt: now,
      changedAt: now,
    }));
    const feed = atomFeed(SITE, entries);
    expect(await faultsOf(feed, ATOM_SCHEMA)).toEqual([]);
    expect(await textsOf(feed, 'title')).toEqual([NAME, ...accepted.map(({ title }) => title)]);
    expect(await textsOf(feed, 'content')).toEqual(accepted.map(({ body }) => body));
  });
});
