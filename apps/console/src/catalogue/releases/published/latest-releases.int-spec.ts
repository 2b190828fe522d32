import { type SignedIn, TestConsole, TestSite } from '../../../testing/console.fixture';
import { type Component, COMPONENTS } from '../../component';
import { bodyOf, fileOf, HOST_AWAY, storeFollowed } from '../releases.fixture';

let site: TestSite;
let admin: SignedIn;

beforeAll(async () => {
  site = await TestSite.start(HOST_AWAY);
  admin = await site.signedIn('admin');
});
beforeEach(() => site.database.pool.query('DELETE FROM catalogue.releases'));
afterAll(() => site.stop());

const put = (tag: string, json: unknown = bodyOf(tag), component = 'engine') =>
  site.console.request('PUT', `/api/admin/releases/${component}/${tag}`, { token: admin.token, json });

const latest = (component: Component = 'engine', headers: Record<string, string> = {}) =>
  site.console.request('GET', `/api/download/${component}-latest`, { headers });

const latestTag = async () => ((await latest()).body as { tag_name?: string }).tag_name;

const follow = (tag: string, name: string, assets?: object[]) =>
  storeFollowed(site.database.pool, tag, name, assets);

describe('the latest release of a component', () => {
  it.each(COMPONENTS)('%s: 404 without a release, 200 with one', async (component) => {
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

  it('is 404 for an unknown component', async () => {
    const unknown = await site.console.request('GET', '/api/download/browser-latest');
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'not found' }]);
    expect((await site.console.request('PUT', '/api/download/browser-latest', { json: {} })).status).toBe(
      404,
    );
  });

  it('is answered with 304 while it is unchanged, and sent at once after a change', async () => {
    await put('v1.0.0');
    const etag = (await latest()).headers.get('etag')!;
    expect(await latest('engine', { 'If-None-Match': etag })).toMatchObject({ status: 304, text: '' });
    await put('v1.0.1');
    const changed = await latest('engine', { 'If-None-Match': etag });
    expect([changed.status, (changed.body as { tag_name: string }).tag_name]).toEqual([200, 'v1.0.1']);
  });

  it('is the newest by version, not by time of publication', async () => {
    await put('v1.10.0', bodyOf('v1.10.0', { published_at: '2025-01-01T00:00:00Z' }));
    await put('v1.9.9', bodyOf('v1.9.9', { published_at: '2026-01-01T00:00:00Z' }));
    expect(await latestTag()).toBe('v1.10.0');
    await put('v10.0.0', undefined, 'router');
    expect(await latestTag()).toBe('v1.10.0');
  });

  it('is a prerelease only if there is no other release, and never a draft', async () => {
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

  it('is the followed one unless an admin has published a newer one or the same tag', async () => {
    await follow('v2.0.0', 'Followed');
    await put('v1.0.0');
    expect((await latest()).body).toMatchObject({ tag_name: 'v2.0.0', name: 'Followed' });
    await put('v2.0.0');
    expect((await latest()).body).toMatchObject({ tag_name: 'v2.0.0', name: 'Engine v2.0.0' });
    await put('v2.0.1');
    expect(await latestTag()).toBe('v2.0.1');
  });
});

const CODE_HOST = 'https://code.example';

describe('after a change of the code host', () => {
  const file = (tag: string, origin: string) => ({ ...fileOf(tag), url: `${origin}/${tag}` });
  const path = '/api/admin/releases/engine/v1.0.0';
  let moved: TestConsole;
  const read = () => moved.request('GET', '/api/download/engine-latest');

  beforeAll(async () => {
    const url = site.database.urlFor('console');
    moved = await TestConsole.start(url, { ...HOST_AWAY, CODE_HOST_URL: CODE_HOST });
  });
  afterAll(() => moved.close());

  it('releases with files at the previous one are not served', async () => {
    await put('v2.0.0');
    await follow('v3.0.0', 'Followed', [fileOf('v3.0.0')]);
    expect(await latestTag()).toBe('v3.0.0');
    expect((await read()).status).toBe(404);
    const json = bodyOf('v1.0.0', { assets: [file('v1.0.0', CODE_HOST)] });
    expect((await moved.request('PUT', path, { token: admin.token, json })).status).toBe(201);
    expect((await read()).body).toMatchObject({ tag_name: 'v1.0.0' });
  });

  it('releases with files at both, or at a host with the same prefix, are not served', async () => {
    await follow('v1.0.0', 'Both', [file('v1.0.0', CODE_HOST), fileOf('v1.0.0')]);
    expect((await read()).status).toBe(404);
    await site.database.pool.query('DELETE FROM catalogue.releases');
    await follow('v1.0.0', 'Alike', [file('v1.0.0', `${CODE_HOST}.evil`)]);
    expect((await read()).status).toBe(404);
  });
});
