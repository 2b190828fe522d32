import { createHash } from 'node:crypto';
import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { type DownloadOptions, ModelAdmin, startDownload } from './models.fixture';

const SITE = 'http://console.test';
const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');

let site: TestSite;
let modelAdmin: ModelAdmin;
let user: SignedIn;

beforeAll(async () => {
  site = await TestSite.start();
  modelAdmin = new ModelAdmin(site, await site.signedIn('admin'));
  user = await site.signedIn();
});
afterAll(() => site.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  site.console.request('GET', path, { headers });

const download = (slug: string, options?: DownloadOptions) => startDownload(site.console.url, slug, options);

const follow = (location: string) => fetch(location.replace(SITE, site.console.url));

describe('models', () => {
  it('are empty before one is published', async () => {
    await modelAdmin.upload('draft', '1.0', 'only stored');
    expect((await get('/api/models')).body).toEqual({ models: [], next_cursor: null });
    expect((await get('/api/models/draft')).status).toBe(404);
  });

  it('show the published description and package', async () => {
    await modelAdmin.upload('acme/small-7b:q4', '1.0', 'weights', { query: '?file_name=small.gguf' });
    const described = {
      name: 'Small 7B',
      description: 'Two\nlines.',
      family: 'small',
      parameters: '7B',
      quantization: 'Q4_K_M',
      format: 'gguf',
      license: 'Apache-2.0',
    };
    const stored = await modelAdmin.store('acme/small-7b:q4', { ...described, version: '1.0' });
    expect(stored.status).toBe(200);
    const expected = {
      slug: 'acme/small-7b:q4',
      ...described,
      version: '1.0',
      file_name: 'small.gguf',
      size: 7,
      sha256: sha256Of('weights'),
      published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    };
    expect((await get('/api/models')).body).toEqual({ models: [expected], next_cursor: null });
    for (const slug of ['acme/small-7b:q4', 'acme%2Fsmall-7b%3Aq4'])
      expect((await get(`/api/models/${slug}`)).body).toEqual(expected);
    const bare = { name: 'Small', version: '1.0' };
    await modelAdmin.store('acme/small-7b:q4', bare);
    expect((await get('/api/models/acme/small-7b:q4')).body).toEqual({
      ...expected,
      ...bare,
      description: '',
      family: null,
      parameters: null,
      quantization: null,
      format: null,
      license: null,
    });
    await modelAdmin.store('acme/small-7b:q4', { ...bare, version: null });
  });

  it('are listed in pages, newest package first', async () => {
    for (const slug of ['list/a', 'list/b', 'list/c']) await modelAdmin.publish(slug, '1');
    const pages: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await get(`/api/models?limit=2${cursor && `&cursor=${cursor}`}`);
      const page = body as { models: { slug: string }[]; next_cursor: string | null };
      pages.push(page.models.map(({ slug }) => slug));
      cursor = page.next_cursor;
    }
    expect(pages).toEqual([['list/c', 'list/b'], ['list/a']]);
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'cursor=', 'limit=1&limit=1'])
      expect([query, (await get(`/api/models?${query}`)).status]).toEqual([query, 400]);
  });

  it('are answered with 304 while unchanged, and updated immediately after a publication', async () => {
    await modelAdmin.publish('cached', '1');
    // HTTP dates have a resolution of a second, whose end must not come in between.
    await site.database.pool.query("UPDATE catalogue.changes SET changed_at = now() + interval '1 minute'");
    expect((await get('/api/models/cached')).headers.get('last-modified')).toBeNull();
    await site.database.pool.query("UPDATE catalogue.changes SET changed_at = now() - interval '1 minute'");
    for (const path of ['/api/models', '/api/models/cached']) {
      const first = await get(path);
      const [etag, date] = [first.headers.get('etag')!, first.headers.get('last-modified')!];
      expect(first.headers.get('cache-control')).toBe('public, max-age=60');
      const again = await get(path, { 'If-None-Match': etag });
      expect([again.status, again.text]).toEqual([304, '']);
      expect((await get(path, { 'If-Modified-Since': date })).status).toBe(304);
      await modelAdmin.publish('cached', `2${path.length}`, path);
      expect((await get(path, { 'If-None-Match': etag })).status).toBe(200);
      expect((await get(path, { 'If-Modified-Since': date })).status).toBe(200);
      await site.database.pool.query("UPDATE catalogue.changes SET changed_at = now() - interval '1 minute'");
    }
  });

  it.each(['unknown', 'UNPUBLISHED', '%00', 'a/b/c', '..%2f..%2fetc%2fpasswd'])(
    '%s is 404, or no path at all',
    async (slug) => {
      const { status, body } = await get(`/api/models/${slug}`);
      expect([slug, status, body]).toEqual([slug, slug === '%00' ? 400 : 404, { error: expect.any(String) }]);
    },
  );
});

describe('a download', () => {
  beforeAll(() => modelAdmin.publish('acme/model', '1.0', 'the weights'));

  it('redirects to the file, with an API key or with a session in the query', async () => {
    for (const options of [{ token: user.apiKey }, { query: `?token=${user.token}` }]) {
      const answer = await download('acme/model', options);
      expect([answer.status, answer.text]).toEqual([302, '']);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      for (const secret of [user.apiKey, user.token, 'token='])
        expect(JSON.stringify([...answer.headers])).not.toContain(secret);
      const file = await follow(answer.location!);
      expect([file.status, await file.text()]).toEqual([200, 'the weights']);
      expect(file.headers.get('content-disposition')).toBe('attachment; filename="acme-model-1.0"');
    }
  });

  it('redirects to a link that expires', async () => {
    const { location } = await download('acme/model', { token: user.apiKey });
    const lifeSeconds = Number(new URL(location!).searchParams.get('expires')) - Date.now() / 1000;
    expect(lifeSeconds).toBeGreaterThan(890 - 60);
    expect(lifeSeconds).toBeLessThanOrEqual(901);
  });

  it('needs an API key or a session of this site', async () => {
    const { token } = user;
    const deleted = await site.signedIn();
    await site.console.request('DELETE', `/api/api-keys/${deleted.apiKeyId}`, { token: deleted.token });
    for (const options of [
      {},
      { token },
      { token: deleted.apiKey },
      { token: `${user.apiKey}x` },
      { query: '?token=' },
      { query: `?token=${user.apiKey}` },
      { query: `?token=${token.slice(0, -2)}` },
      { query: `?token=${token}&token=${token}` },
      { token: 'rubbish', query: `?token=${token}` },
    ])
      expect([options, (await download('acme/model', options)).status]).toEqual([options, 401]);
    const answer = await download('acme/model');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(JSON.parse(answer.text)).toEqual({ error: expect.any(String) });
  });

  it('is 404 for a model that is unknown or not published', async () => {
    await modelAdmin.upload('hidden', '1', 'hidden');
    for (const slug of ['hidden', 'nobody', 'acme', 'acme/model/1.0'])
      expect([slug, (await download(slug, { token: user.apiKey })).status]).toEqual([slug, 404]);
    await modelAdmin.store('acme/model', { name: 'Model', version: null });
    expect((await download('acme/model', { token: user.apiKey })).status).toBe(404);
    await modelAdmin.store('acme/model', { name: 'Model', version: '1.0' });
    expect((await download('acme/model', { token: user.apiKey })).status).toBe(302);
  });

  it('is 403 for an API key that is limited to other models', async () => {
    const make = async (allowed_models: string[]) => {
      const json = { name: 'k', allowed_models };
      const { body } = await site.console.request('POST', '/api/api-keys', { token: user.token, json });
      return (body as { key: string }).key;
    };
    expect((await download('acme/model', { token: await make(['other']) })).status).toBe(403);
    expect((await download('acme/model', { token: await make(['acme/model']) })).status).toBe(302);
  });

  it('has a link as JSON, for a session', async () => {
    const ask = (path: string, token?: string) =>
      site.console.request('POST', `/api/models/${path}`, token === undefined ? {} : { token });
    const answer = await ask('acme/model/link', user.token);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { url, expires_at: expiresAt } = answer.body as { url: string; expires_at: string };
    const file = await follow(url);
    expect([file.status, await file.text()]).toEqual([200, 'the weights']);
    const expires = Number(new URL(url).searchParams.get('expires'));
    expect(Math.abs(expires - Date.parse(expiresAt) / 1000)).toBeLessThan(60);
    expect((await ask('acme%2Fmodel/link?version=1.0', user.token)).status).toBe(200);
    for (const path of ['nobody/link', 'hidden/link', 'acme/model/link?version=9'])
      expect([path, (await ask(path, user.token)).status]).toEqual([path, 404]);
    expect((await ask('acme/model/link?version=', user.token)).status).toBe(400);
    for (const token of [undefined, user.apiKey])
      expect((await ask('acme/model/link', token)).status).toBe(401);
  });

  it('a version that was published once can be downloaded until it is removed', async () => {
    for (const version of ['1', '2']) await modelAdmin.publish('versions', version);
    await modelAdmin.upload('versions', '3', 'not published');
    const contentOf = async (query: string) => {
      const { status, location } = await download('versions', { token: user.apiKey, query });
      return location ? (await follow(location)).text() : status;
    };
    expect(await contentOf('')).toBe('versions 2');
    expect(await contentOf('?version=1')).toBe('versions 1');
    expect(await contentOf('?version=2')).toBe('versions 2');
    for (const version of ['3', '4']) expect(await contentOf(`?version=${version}`)).toBe(404);
    for (const query of ['?version=', '?version=a%2Fb', '?version=1&version=2'])
      expect([query, await contentOf(query)]).toEqual([query, 400]);
    await modelAdmin.remove('versions', '1');
    expect(await contentOf('?version=1')).toBe(404);
    await modelAdmin.store('versions', { name: 'V', version: null });
    for (const query of ['', '?version=2']) expect(await contentOf(query)).toBe(404);
  });
});

describe('at the other site', () => {
  it('a token of this one is refused', async () => {
    const cn = await TestSite.start({ SITE: 'cn' });
    const answer = await fetch(`${cn.console.url}/api/models/x/download?token=${user.token}`);
    expect(answer.status).toBe(401);
    await cn.stop();
  });
});
