import { type SignedIn, TestSite } from '../console.fixture';
import { COMPONENTS, type Component } from './component';
import { bodyOf, fileOf } from './releases.fixture';

interface AdminRelease {
  component: string;
  source: string;
  draft: boolean;
  tag_name: string;
  prerelease: boolean;
  published_at: string | null;
  assets: Record<string, unknown>[];
}

let site: TestSite;
let admin: SignedIn;

beforeAll(async () => {
  site = await TestSite.start();
  admin = await site.signedIn('admin');
});
beforeEach(() => site.database.pool.query('DELETE FROM catalogue.releases'));
afterAll(() => site.stop());

const put = (tag: string, json: unknown = bodyOf(tag), component = 'engine', token = admin.token) =>
  site.console.request('PUT', `/api/admin/releases/${component}/${tag}`, { token, json });

const latest = (component: Component = 'engine', headers: Record<string, string> = {}) =>
  site.console.request('GET', `/api/download/${component}-latest`, { headers });

const latestTag = async () => ((await latest()).body as { tag_name?: string }).tag_name;

/** As the follower stores one. */
const follow = (tag: string, name: string, prerelease = false) =>
  site.database.pool.query(
    `INSERT INTO catalogue.releases (component, tag_name, source, name, draft, prerelease, assets, published_at)
     VALUES ('engine', $1, 'code_host', $2, false, $3, '[]', now())`,
    [tag, name, prerelease],
  );

describe('the latest release of a component', () => {
  it.each(COMPONENTS)('%s: 404 without one, 200 with it, in its shape', async (component) => {
    expect((await latest(component)).status).toBe(404);
    await put('v1.2.3', { ...bodyOf('v1.2.3'), published_at: '2026-01-31T12:30:00.5Z' }, component);
    const { status, headers, body } = await latest(component);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=60');
    expect(body).toEqual({
      tag_name: 'v1.2.3',
      name: 'Engine v1.2.3',
      prerelease: false,
      published_at: '2026-01-31T12:30:00.500Z',
      assets: [{ ...fileOf('v1.2.3'), content_type: 'application/gzip' }],
    });
    expect(Object.keys((body as { assets: object[] }).assets[0]!)).toEqual([
      'name',
      'url',
      'size',
      'content_type',
    ]);
  });

  it('is 404 for an unknown component, as for any unknown route', async () => {
    const unknown = await site.console.request('GET', '/api/download/browser-latest');
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'not found' }]);
    expect((await site.console.request('PUT', '/api/download/browser-latest', { json: {} })).status).toBe(
      404,
    );
  });

  it('is not sent again while it is the same, and at once when it is another', async () => {
    await put('v1.0.0');
    const etag = (await latest()).headers.get('etag')!;
    expect(await latest('engine', { 'If-None-Match': etag })).toMatchObject({ status: 304, text: '' });
    await put('v1.0.1');
    const changed = await latest('engine', { 'If-None-Match': etag });
    expect([changed.status, (changed.body as { tag_name: string }).tag_name]).toEqual([200, 'v1.0.1']);
  });

  it('is the newest by version, whenever it was published', async () => {
    await put('v1.10.0', bodyOf('v1.10.0', { published_at: '2025-01-01T00:00:00Z' }));
    await put('v1.9.9', bodyOf('v1.9.9', { published_at: '2026-01-01T00:00:00Z' }));
    expect(await latestTag()).toBe('v1.10.0');
    await put('v10.0.0', undefined, 'router');
    expect(await latestTag()).toBe('v1.10.0');
  });

  it('is a prerelease only when there is nothing else, and never a draft', async () => {
    await put('v3.0.0', bodyOf('v3.0.0', { draft: true }));
    expect((await latest()).status).toBe(404);
    await put('v2.0.0-rc.2');
    await put('v2.0.0-rc.10');
    expect((await latest()).body).toMatchObject({ tag_name: 'v2.0.0-rc.10', prerelease: true });
    await put('v2.5.0', bodyOf('v2.5.0', { prerelease: true }));
    expect((await latest()).body).toMatchObject({ tag_name: 'v2.5.0', prerelease: true });
    await put('v1.0.0');
    expect(await latestTag()).toBe('v1.0.0');
  });

  it('is the followed one unless an admin has a newer one, or one of the same tag', async () => {
    await follow('v2.0.0', 'Followed');
    await put('v1.0.0');
    expect((await latest()).body).toMatchObject({ tag_name: 'v2.0.0', name: 'Followed' });
    await put('v2.0.0', bodyOf('v2.0.0', { draft: true }));
    expect((await latest()).body).toMatchObject({ name: 'Followed' });
    await put('v2.0.0');
    expect((await latest()).body).toMatchObject({ tag_name: 'v2.0.0', name: 'Engine v2.0.0' });
    await put('v2.0.1');
    expect(await latestTag()).toBe('v2.0.1');
  });
});

describe('an admin', () => {
  it('publishes a release, and replaces it as a whole', async () => {
    const created = await put('v1.0.0');
    expect(created.status).toBe(201);
    const release = created.body as AdminRelease;
    expect(release).toEqual({
      component: 'engine',
      source: 'admin',
      draft: false,
      tag_name: 'v1.0.0',
      name: 'Engine v1.0.0',
      prerelease: false,
      published_at: expect.stringMatching(/^20\d\d-.*Z$/),
      assets: [{ ...fileOf('v1.0.0'), content_type: 'application/gzip' }],
    });
    const file = {
      ...fileOf('v1.0.0'),
      size: Number.MAX_SAFE_INTEGER,
      content_type: 'Application/X-Tar; a="b c"',
    };
    const replaced = await put('v1.0.0', { name: 'Other', prerelease: true, assets: [file] });
    expect(replaced.status).toBe(200);
    expect(replaced.body).toEqual({ ...release, name: 'Other', prerelease: true, assets: [file] });
  });

  it('keeps when it was first published, unless told otherwise', async () => {
    const publishedAt = async (more: object) =>
      ((await put('v1.0.0', bodyOf('v1.0.0', more))).body as AdminRelease).published_at;
    expect(await publishedAt({ draft: true, assets: [] })).toBeNull();
    const first = await publishedAt({});
    expect(first).not.toBeNull();
    expect(await publishedAt({ draft: true })).toBe(first);
    expect(await publishedAt({})).toBe(first);
    expect(await publishedAt({ published_at: '2026-02-03T04:05:06Z' })).toBe('2026-02-03T04:05:06.000Z');
    expect(await publishedAt({})).toBe('2026-02-03T04:05:06.000Z');
  });

  it('takes a release back by making it a draft', async () => {
    await put('v1.0.0');
    await put('v1.1.0');
    await put('v1.1.0', bodyOf('v1.1.0', { draft: true }));
    expect(await latestTag()).toBe('v1.0.0');
  });

  it('leaves a trace', async () => {
    await put('v7.7.7', bodyOf('v7.7.7', { draft: true }));
    const path = '/api/admin/events?type=admin.release_changed&limit=1';
    const { body } = await site.console.request('GET', path, { token: admin.token });
    expect((body as { events: unknown[] }).events[0]).toMatchObject({
      details: { component: 'engine', tag_name: 'v7.7.7', draft: true },
    });
  });

  it('need not say what kind of files they are', async () => {
    const file = { ...fileOf('v1.0.0'), name: 'engine-v1.0.0-win64.zip' };
    const { body } = await put('v1.0.0', bodyOf('v1.0.0', { assets: [file] }));
    expect((body as AdminRelease).assets[0]!.content_type).toBe('application/zip');
    const unknown = { ...fileOf('v1.0.0'), name: 'engine-linux-arm64' };
    const other = await put('v1.0.0', bodyOf('v1.0.0', { assets: [unknown] }));
    expect((other.body as AdminRelease).assets[0]!.content_type).toBe('application/octet-stream');
  });

  it('lists all releases, page by page, newest first', async () => {
    await put('v1.0.0', bodyOf('v1.0.0', { published_at: '2026-01-01T00:00:00Z' }));
    await put('v1.1.0', bodyOf('v1.1.0', { published_at: '2026-03-01T00:00:00Z' }));
    await put('v0.9.0', bodyOf('v0.9.0', { published_at: '2026-02-01T00:00:00Z' }), 'router');
    await put('v2.0.0', bodyOf('v2.0.0', { draft: true }));
    await follow('v1.2.0', 'Followed');
    const list = async (query: string) => {
      const { body } = await site.console.request('GET', `/api/admin/releases?${query}`, {
        token: admin.token,
      });
      return body as { releases: AdminRelease[]; next_cursor: string | null };
    };
    const all: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await list(`limit=2${cursor && `&cursor=${cursor}`}`);
      expect(page.releases.length).toBeLessThanOrEqual(2);
      all.push(
        ...page.releases.map(({ component, tag_name: tag, source }) => `${component} ${tag} ${source}`),
      );
      cursor = page.next_cursor;
    }
    expect(all).toEqual([
      'engine v1.2.0 code_host',
      'engine v2.0.0 admin',
      'engine v1.1.0 admin',
      'router v0.9.0 admin',
      'engine v1.0.0 admin',
    ]);
    expect((await list('component=router')).releases).toMatchObject([{ tag_name: 'v0.9.0', draft: false }]);
    expect((await list('component=memo')).releases).toEqual([]);
  });

  it.each(['component=browser', 'limit=0', 'limit=101', 'cursor=x', 'component=engine&component=memo'])(
    'gets no list for %s: 400',
    async (query) => {
      const { status } = await site.console.request('GET', `/api/admin/releases?${query}`, {
        token: admin.token,
      });
      expect(status).toBe(400);
    },
  );

  it('sees that nothing is followed', async () => {
    const followed = await site.console.request('GET', '/api/admin/releases/followed', {
      token: admin.token,
    });
    expect([followed.status, followed.body]).toEqual([200, { repositories: [] }]);
  });
});

it('is for admins only', async () => {
  const { token } = await site.signedIn('user');
  for (const [credential, status] of [
    [{}, 401],
    [{ token }, 403],
  ] as const) {
    for (const path of ['/api/admin/releases', '/api/admin/releases/followed'])
      expect((await site.console.request('GET', path, credential)).status).toBe(status);
    const json = bodyOf('v1.0.0');
    const path = '/api/admin/releases/engine/v1.0.0';
    expect((await site.console.request('PUT', path, { ...credential, json })).status).toBe(status);
  }
  expect((await latest()).status).toBe(404);
});
