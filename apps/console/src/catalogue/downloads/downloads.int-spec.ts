import { dayLasts } from '@inference/testing';
import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { ModelAdmin, startDownload } from '../models/models.fixture';
import { ReleaseLookupCounter } from './release-lookup-counter';

interface Report {
  from: string;
  to: string;
  models: { slug: string }[];
  components: unknown[];
}

let site: TestSite;
let modelAdmin: ModelAdmin;
let ann: SignedIn;
let ben: SignedIn;

beforeAll(async () => {
  await dayLasts();
  site = await TestSite.start();
  modelAdmin = new ModelAdmin(site, await site.signedIn('admin'));
  [ann, ben] = [await site.signedIn(), await site.signedIn()];
  for (const version of ['1', '2']) await modelAdmin.publish('counted', version);
  await modelAdmin.publish('other', '1');
});
afterAll(() => site.stop());

const ask = (query = '') =>
  site.console.request('GET', `/api/admin/downloads${query}`, { token: modelAdmin.admin.token });
const report = async (query?: string) => (await ask(query)).body as Report;
const download = (slug: string, options: Parameters<typeof startDownload>[2]) =>
  startDownload(site.console.url, slug, options);
const count = (downloads: number, accounts: number, links: number) => ({ downloads, accounts, links });

describe('the download statistics', () => {
  it('counts an account once per day and package, whatever the number of links', async () => {
    for (const token of [ann.apiKey, ann.apiKey, ben.apiKey]) await download('counted', { token });
    await download('counted', { query: `?token=${ann.token}` });
    await download('counted', { token: ann.apiKey, query: '?version=1' });
    await download('other', { token: ben.apiKey });
    // None of these requests is a download.
    expect((await download('counted', { token: ann.apiKey, method: 'HEAD' })).status).toBe(302);
    await download('counted', {});
    await download('unknown', { token: ann.apiKey });
    const today = new Date().toISOString().slice(0, 10);
    const answer = await ask();
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      from: `${today.slice(0, 7)}-01`,
      to: today,
      models: [
        {
          slug: 'counted',
          ...count(3, 2, 5),
          versions: [
            { version: '2', ...count(2, 2, 4) },
            { version: '1', ...count(1, 1, 1) },
          ],
        },
        { slug: 'other', ...count(1, 1, 1), versions: [{ version: '1', ...count(1, 1, 1) }] },
      ],
      components: [],
    });
  });

  it('covers the requested days and, if requested, one model', async () => {
    await site.database.pool.query(
      "UPDATE catalogue.package_downloads SET day = '2026-01-31' WHERE account_id = $1",
      [ben.accountId],
    );
    await download('counted', { token: ben.apiKey });
    const modelsOf = async (query: string) => (await report(query)).models;
    const january = [
      expect.objectContaining({ slug: 'counted', ...count(1, 1, 1) }),
      expect.objectContaining({ slug: 'other', ...count(1, 1, 1) }),
    ];
    expect(await modelsOf('?from=2026-01-31&to=2026-01-31')).toEqual(january);
    expect(await modelsOf('?from=2026-01-31&to=2026-01-31&slug=other')).toEqual(january.slice(1));
    expect(await modelsOf('?from=2026-01-01&to=2026-01-30')).toEqual([]);
    // The same account counts again on another day.
    expect(await modelsOf('?from=2026-01-01&slug=counted')).toEqual([
      expect.objectContaining({ slug: 'counted', ...count(4, 2, 6) }),
    ]);
    expect((await report('?from=2026-01-01&limit=1')).models.map(({ slug }) => slug)).toEqual(['counted']);
  });

  it('contains the lookups of releases', async () => {
    const asset = { name: 'engine-linux-x86_64.tar.gz', url: 'https://github.com/a/b/c', size: 1 };
    for (const tag of ['v1.0.0', 'v1.1.0']) {
      const path = `/api/admin/releases/engine/${tag}`;
      const json = { name: tag, assets: [asset] };
      expect((await site.console.request('PUT', path, { token: modelAdmin.admin.token, json })).status).toBe(
        201,
      );
      for (let n = 0; n < (tag === 'v1.0.0' ? 1 : 2); n++)
        await site.console.request('GET', '/api/download/engine-latest');
    }
    await site.console.app.get(ReleaseLookupCounter).flush();
    expect((await report()).components).toEqual([
      {
        component: 'engine',
        lookups: 3,
        releases: [
          { tag_name: 'v1.1.0', lookups: 2 },
          { tag_name: 'v1.0.0', lookups: 1 },
        ],
      },
    ]);
    expect((await report('?from=2026-01-01&to=2026-01-31')).components).toEqual([]);
  });

  it.each([
    'from=x',
    'from=2026-02-30',
    'from=2026-02-02&to=2026-02-01',
    'limit=0',
    'limit=101',
    'slug=a%20b',
    'to=',
    'days=1',
  ])('refuses %s', async (query) => {
    const { status, body } = await ask(`?${query}`);
    expect([status, body]).toEqual([400, { error: expect.any(String) }]);
  });
});
