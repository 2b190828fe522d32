import { type SignedIn, TestSite } from '../../../testing/console.fixture';
import { bodyOf, fileOf, HOST_AWAY, storeFollowed } from '../releases.fixture';

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
  site = await TestSite.start(HOST_AWAY);
  admin = await site.signedIn('admin');
});
beforeEach(() => site.database.pool.query('DELETE FROM catalogue.releases'));
afterAll(() => site.stop());

const put = (tag: string, json: unknown = bodyOf(tag), component = 'engine', token = admin.token) =>
  site.console.request('PUT', `/api/admin/releases/${component}/${tag}`, { token, json });

const remove = (tag: string, component = 'engine', token = admin.token) =>
  site.console.request('DELETE', `/api/admin/releases/${component}/${tag}`, { token });

const latest = () => site.console.request('GET', '/api/download/engine-latest');

const latestTag = async () => ((await latest()).body as { tag_name?: string }).tag_name;

const follow = (tag: string, name: string) => storeFollowed(site.database.pool, tag, name);

describe('an admin', () => {
  it('publishes a release and replaces it completely', async () => {
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

  it('keeps the time of the first publication unless another one is given', async () => {
    const publishedAt = async (more: object) =>
      ((await put('v1.0.0', bodyOf('v1.0.0', more))).body as AdminRelease).published_at;
    expect(await publishedAt({ draft: true, assets: [] })).toBeNull();
    const first = await publishedAt({});
    expect(first).not.toBeNull();
    expect(await publishedAt({ draft: true })).toBe(first);
    expect(await publishedAt({})).toBe(first);
    expect(await publishedAt({ published_at: '2026-02-03T04:05:06Z' })).toBe('2026-02-03T04:05:06.000Z');
    expect(await publishedAt({})).toBe('2026-02-03T04:05:06.000Z');
    expect(await publishedAt({ published_at: '2026-02-03T04:05:06.123456789+08:00' })).toBe(
      '2026-02-02T20:05:06.123Z',
    );
  });

  it('unpublishes a release by making it a draft', async () => {
    await put('v1.0.0');
    await put('v1.1.0');
    await put('v1.1.0', bodyOf('v1.1.0', { draft: true }));
    expect(await latestTag()).toBe('v1.0.0');
  });

  it('hides a followed release by a draft of its tag', async () => {
    await put('v1.0.0');
    await follow('v2.0.0', 'Followed');
    await put('v2.0.0', bodyOf('v2.0.0', { draft: true, assets: [] }), 'memo');
    expect(await latestTag()).toBe('v2.0.0');
    await put('v2.0.0', bodyOf('v2.0.0', { draft: true, assets: [] }));
    expect(await latestTag()).toBe('v1.0.0');
    expect((await remove('v1.0.0')).status).toBe(204);
    expect((await latest()).status).toBe(404);
    expect((await remove('v2.0.0')).status).toBe(204);
    expect((await latest()).body).toMatchObject({ tag_name: 'v2.0.0', name: 'Followed' });
  });

  it('removes a release: 204, or 404 if it does not exist or is a followed one', async () => {
    await put('v1.0.0');
    await put('v1.1.0');
    await follow('v1.2.0', 'Followed');
    const removed = await remove('v1.1.0');
    expect([removed.status, removed.text]).toEqual([204, '']);
    const changes = () =>
      site.database.pool.query("SELECT * FROM catalogue.changes WHERE topic = 'releases'");
    const { rows } = await changes();
    for (const [tag, component] of [
      ['v1.1.0', 'engine'],
      ['v1.2.0', 'engine'],
      ['v1.0.0', 'memo'],
    ] as const) {
      const answer = await remove(tag, component);
      expect([answer.status, answer.body]).toEqual([
        404,
        { error: 'no release of this tag was published here' },
      ]);
    }
    expect((await remove('v1.0.0', 'browser')).status).toBe(404);
    expect((await remove('latest')).status).toBe(400);
    expect((await changes()).rows).toEqual(rows);
    expect(await latestTag()).toBe('v1.2.0');
  });

  it('is recorded in the audit log', async () => {
    await put('v7.7.7', bodyOf('v7.7.7', { draft: true }));
    await put('v7.7.7');
    await remove('v7.7.7');
    await remove('v7.7.7');
    const path = '/api/admin/events?type=admin.release_changed&limit=3';
    const { body } = await site.console.request('GET', path, { token: admin.token });
    const details = { component: 'engine', tag_name: 'v7.7.7' };
    expect((body as { events: { details: object }[] }).events.map((event) => event.details)).toEqual([
      { ...details, action: 'removed' },
      { ...details, action: 'replaced', draft: false },
      { ...details, action: 'created', draft: true },
    ]);
  });

  it('may omit the content types of files', async () => {
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

  it('sees the state of the followed repositories', async () => {
    const followed = await site.console.request('GET', '/api/admin/releases/followed', {
      token: admin.token,
    });
    const repository = expect.objectContaining({ component: 'engine', repository: 'acme/engine' });
    expect([followed.status, followed.body]).toEqual([200, { repositories: [repository] }]);
  });
});

it('must have the admin role', async () => {
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
    expect((await site.console.request('DELETE', path, credential)).status).toBe(status);
  }
  expect((await latest()).status).toBe(404);
});
