import { newId } from '@inference/database';
import { insertAccount, publishPrices } from '@inference/testing';
import * as fc from 'fast-check';
import { TestConsole, TestSite } from '../../testing/console.fixture';
import { escapeXml } from '../escape-xml';
import { SITEMAP_SCHEMA } from '../xml-schemas.fixture';
import { faultsOf, textsOf } from '../xmllint.fixture';

const UI = "https://ui.test/a&b's";
const PAGES = ['/', '/pricing', "/it's/no&more"];
const COUNT = 50_100;
const PAGE_URLS = PAGES.map((path) => UI + path);

describe('the sitemap', () => {
  let site: TestSite;
  let uploader: string;
  const read = (path = '/sitemap.xml') => site.console.request('GET', path);
  /** The URLs of a sitemap, after its validation. */
  const locations = async (path?: string) => {
    const { status, headers, text } = await read(path);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
    expect(await faultsOf(text, SITEMAP_SCHEMA)).toEqual([]);
    return textsOf(text, 'loc');
  };
  const insertModels = async (slugs: string[], changedAt = new Date()) => {
    const ids = slugs.map(() => newId('pkg'));
    await site.database.pool.query(
      `INSERT INTO catalogue.packages (id, slug, version, file_name, size, sha256, uploaded_by, stored_at, published_at)
       SELECT id, slug, '1', 'f', 1, sha256(''), $3, now(), now() FROM unnest($1::text[], $2::text[]) p (id, slug)`,
      [ids, slugs, uploader],
    );
    await site.database.pool.query(
      `INSERT INTO catalogue.models (id, slug, name, description, package_id, changed_at)
       SELECT 'of_' || id, slug, slug, '', id, $3 FROM unnest($1::text[], $2::text[]) p (id, slug)`,
      [ids, slugs, changedAt],
    );
  };
  const hide = (slug: string) =>
    site.database.pool.query('UPDATE catalogue.models SET package_id = NULL WHERE slug = $1', [slug]);

  beforeAll(async () => {
    site = await TestSite.start({ CONSOLE_UI_URL: UI, SITEMAP_PAGES: JSON.stringify(PAGES) });
    ({ accountId: uploader } = await insertAccount(site.database.pool, {}));
  });
  beforeEach(() => site.database.pool.query('TRUNCATE catalogue.packages, catalogue.changes CASCADE'));
  afterAll(() => site.stop());

  it('lists the public pages', async () => {
    expect(await locations()).toEqual(PAGE_URLS);
    expect((await read()).text).not.toContain('lastmod');
  });

  it('is sent for any query', async () => {
    expect((await read('/sitemap.xml?colour=red')).status).toBe(200);
  });

  it('lists the priced models, each once', async () => {
    await publishPrices(site.database.pool, [
      { slug: 'acme/chat', unit: 'per_million_input_tokens', ratePicos: 1n },
      { slug: 'acme/chat', unit: 'per_million_output_tokens', ratePicos: 2n },
    ]);
    expect(await locations()).toEqual([...PAGE_URLS, `${UI}/models/acme/chat`]);
    await publishPrices(site.database.pool, []);
    expect(await locations()).toEqual(PAGE_URLS);
  });

  it('lists the published packages with the times of their changes', async () => {
    await insertModels(
      ['b', 'meta-llama/Llama-3.1-8B', 'qwen3:0.6b@x~y+z'],
      new Date('2026-01-31T12:30:00.5Z'),
    );
    await insertModels(['hidden']);
    await hide('hidden');
    await site.database.pool.query(
      "INSERT INTO catalogue.models (id, slug, name, description) VALUES ('new', 'new', 'n', '')",
    );
    expect(await locations()).toEqual([
      ...PAGE_URLS,
      `${UI}/packages/b`,
      `${UI}/packages/meta-llama/Llama-3.1-8B`,
      `${UI}/packages/qwen3%3A0.6b%40x~y%2Bz`,
    ]);
    expect(await textsOf((await read()).text, 'lastmod')).toEqual(Array(3).fill('2026-01-31T12:30:00.500Z'));
  });

  it('shows every change immediately', async () => {
    const model = `${UI}/packages/m`;
    expect(await locations()).toEqual(PAGE_URLS);
    await insertModels(['m']);
    expect(await locations()).toEqual([...PAGE_URLS, model]);
    await hide('m');
    expect(await locations()).toEqual(PAGE_URLS);
    await site.database.pool.query(
      "UPDATE catalogue.models SET package_id = (SELECT id FROM catalogue.packages) WHERE slug = 'm'",
    );
    expect(await locations()).toEqual([...PAGE_URLS, model]);
  });

  it('reads the models once per change, even for concurrent requests', async () => {
    await insertModels(['m']);
    const [first] = await Promise.all(Array.from({ length: 8 }, () => read()));
    // A change that bypasses the trigger.
    await site.database.pool.query('ALTER TABLE catalogue.models DISABLE TRIGGER model_changed');
    await hide('m');
    await site.database.pool.query('ALTER TABLE catalogue.models ENABLE TRIGGER model_changed');
    const again = await read();
    expect([again.status, again.text]).toEqual([200, first!.text]);
    await site.database.pool.query(
      "UPDATE catalogue.changes SET changed_at = changed_at + interval '1 microsecond'",
    );
    expect(await locations()).toEqual(PAGE_URLS);
  });

  it('recovers after a failure', async () => {
    await insertModels(['m']);
    await site.database.pool.query('REVOKE SELECT ON catalogue.models FROM console');
    expect((await read()).status).toBe(500);
    await site.database.pool.query('GRANT SELECT ON catalogue.models TO console');
    expect(await locations()).toHaveLength(PAGES.length + 1);
  });

  it('encodes any slug so that its URL leads back to it', async () => {
    const segment = fc.stringMatching(/^[A-Za-z0-9._~@:+-]{1,60}$/).filter((part) => !/^\.{1,2}$/.test(part));
    const slugs = [
      ...new Set(
        fc.sample(fc.array(segment, { minLength: 1, maxLength: 3 }), 500).map((parts) => parts.join('/')),
      ),
    ];
    await insertModels([...slugs, '+'.repeat(200)]);
    const found = (await locations()).slice(PAGES.length).map((location) => {
      expect(new URL(location).href).toBe(location);
      return decodeURIComponent(location.slice(`${UI}/packages/`.length));
    });
    expect(found.sort()).toEqual([...slugs, '+'.repeat(200)].sort());
  });

  it('lists 50,100 models in an index of sitemaps with at most 50,000 URLs each', async () => {
    // Without package rows, whose creation would dominate the duration of the test.
    await site.database.pool.query('ALTER TABLE catalogue.models DISABLE TRIGGER ALL');
    await site.database.pool.query(
      `INSERT INTO catalogue.models (id, slug, name, description, package_id, changed_at)
         SELECT n, 'model-' || n, 'n', '', 'pkg_' || n, '2026-01-01'::timestamptz + n * interval '1 second'
         FROM generate_series(1, ${COUNT}) n`,
    );
    await site.database.pool.query('ALTER TABLE catalogue.models ENABLE TRIGGER ALL');
    await site.database.pool.query("UPDATE catalogue.models SET name = 'm' WHERE slug = 'model-1'");
    const numbered = [1, 2].map((number) => `/sitemap-${number}.xml`);
    expect(await locations()).toEqual(numbered.map((path) => `http://console.test${path}`));
    const newest = new Date(Date.parse('2026-01-01T00:00:00Z') + COUNT * 1000).toISOString();
    expect(await textsOf((await read()).text, 'lastmod')).toContain(newest);
    const places: string[][] = [];
    for (const path of numbered) {
      const { text } = await read(path);
      expect(await faultsOf(text, SITEMAP_SCHEMA)).toEqual([]);
      places.push([...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, location = '']) => location));
    }
    expect(places.map(({ length }) => length)).toEqual([50_000, 100 + PAGES.length]);
    const models = Array.from({ length: COUNT }, (_, n) => `${UI}/packages/model-${n + 1}`);
    const found = new Set(places.flat());
    expect([...PAGE_URLS, ...models].filter((url) => !found.delete(escapeXml(url)))).toEqual([]);
    expect([...found]).toEqual([]);
    for (const number of ['0', '3', '01', '-1', '1.5', '1e0', '+1', '', 'x', '%31%00', '1'.repeat(100)]) {
      const answer = await read(`/sitemap-${number}.xml`);
      expect([number, answer.status, answer.body]).toEqual([number, 404, { error: expect.any(String) }]);
    }
  });

  it('is a single document if the limits allow it', async () => {
    expect((await read('/sitemap-1.xml')).status).toBe(404);
    await insertModels(['m']);
    expect((await read('/sitemap-1.xml')).status).toBe(404);
  });
});

describe('without a database', () => {
  it.each(['/sitemap.xml', '/sitemap-1.xml'])('answers 503 to %s', async (path) => {
    const console = await TestConsole.start('postgres://console@127.0.0.1:1/platform');
    const answer = await console.request('GET', path);
    await console.close();
    expect([answer.status, answer.body]).toEqual([503, { error: 'database unavailable' }]);
  });
});
