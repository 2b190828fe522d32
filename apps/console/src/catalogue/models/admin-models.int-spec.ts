import { Database } from '@inference/database';
import { TestSite } from '../../testing/console.fixture';
import { ModelAdmin } from './models.fixture';

let site: TestSite;
let modelAdmin: ModelAdmin;

beforeAll(async () => {
  site = await TestSite.start();
  modelAdmin = new ModelAdmin(site, await site.signedIn('admin'));
});
afterAll(() => site.stop());

const isPublic = async (slug: string) =>
  (await site.console.request('GET', `/api/models/${slug}`)).status === 200;
const eventsOf = async (type: string) => {
  const { rows } = await site.database.pool.query<{ details: unknown }>(
    'SELECT details FROM accounts.security_events WHERE type = $1 ORDER BY created_at',
    [type],
  );
  return rows.map(({ details }) => details);
};

describe('an admin', () => {
  it('describes a model, publishes a package, another one, and none', async () => {
    const created = await modelAdmin.store('life', { name: 'Life', family: 'f' });
    expect([created.status, created.body]).toEqual([
      201,
      {
        slug: 'life',
        name: 'Life',
        description: '',
        family: 'f',
        parameters: null,
        quantization: null,
        format: null,
        license: null,
        version: null,
        changed_at: expect.any(String),
        packages: [],
      },
    ]);
    await modelAdmin.upload('life', '1', 'one');
    await modelAdmin.upload('life', '2', 'two');
    expect(await isPublic('life')).toBe(false);
    for (const version of ['1', '2', '1', null]) {
      const { status, body } = await modelAdmin.store('life', { name: 'Life', version });
      expect([status, body]).toEqual([200, expect.objectContaining({ version, family: null })]);
      const seen = await site.console.request('GET', '/api/models/life');
      if (version === null) expect(seen.status).toBe(404);
      else expect(seen.body).toMatchObject({ version });
    }
    const { body } = await modelAdmin.read('life');
    expect((body as { packages: unknown[] }).packages).toEqual([
      expect.objectContaining({ version: '2', status: 'stored', published_at: expect.any(String), size: 3 }),
      expect.objectContaining({ version: '1', status: 'stored', published_at: expect.any(String) }),
    ]);
    expect(await eventsOf('admin.model_changed')).toEqual([
      { slug: 'life' },
      ...['1', '2', '1', null].map((version) => ({ slug: 'life', version })),
    ]);
  });

  it('changes a description without changing the published package', async () => {
    await modelAdmin.publish('described', '1');
    const first = (await site.console.request('GET', '/api/models/described')).body as object;
    const { body } = await modelAdmin.store('described', { name: 'New name' });
    expect(body).toMatchObject({ version: '1', name: 'New name' });
    expect((await site.console.request('GET', '/api/models/described')).body).toEqual({
      ...first,
      name: 'New name',
    });
  });

  it('publishes only stored packages', async () => {
    await modelAdmin.upload('other', '1', 'of another model');
    for (const version of ['1', '7']) {
      const { status, body } = await modelAdmin.store('nothing-stored', { name: 'N', version });
      expect([status, body]).toEqual([409, { error: expect.stringContaining('version') }]);
    }
    expect((await modelAdmin.read('nothing-stored')).status).toBe(404);
  });

  it('sees all models, published or not, in pages', async () => {
    const path = '/api/admin/models';
    const { token } = modelAdmin.admin;
    const { body } = await site.console.request('GET', `${path}?limit=100`, { token });
    const all = (body as { models: { slug: string }[] }).models.map(({ slug }) => slug);
    expect(all).toEqual(['other', 'described', 'life']);
    const first = await site.console.request('GET', `${path}?limit=2`, { token });
    const { models, next_cursor: cursor } = first.body as { models: unknown[]; next_cursor: string };
    expect(models).toHaveLength(2);
    const second = await site.console.request('GET', `${path}?limit=2&cursor=${cursor}`, { token });
    expect(second.body).toMatchObject({ models: [{ slug: 'life', version: null }], next_cursor: null });
    for (const query of ['limit=0', 'cursor=x'])
      expect((await site.console.request('GET', `${path}?${query}`, { token })).status).toBe(400);
  });

  it('removes only packages that are not published', async () => {
    await modelAdmin.publish('removed', '1');
    expect((await modelAdmin.remove('removed', '1')).status).toBe(409);
    expect((await modelAdmin.remove('removed', '2')).status).toBe(404);
    await modelAdmin.upload('removed', '2', 'two');
    expect((await modelAdmin.remove('removed', '2')).status).toBe(204);
    expect((await modelAdmin.remove('removed', '2')).status).toBe(404);
    expect((await modelAdmin.store('removed', { name: 'R', version: '2' })).status).toBe(409);
    expect(await isPublic('removed')).toBe(true);
    // It was never public, so its version may be used again.
    expect((await modelAdmin.upload('removed', '2', 'another two')).status).toBe(201);
    await modelAdmin.store('removed', { name: 'R', version: '2' });
    expect((await modelAdmin.remove('removed', '1')).status).toBe(204);
    // This one was public.
    for (const content of ['removed 1', 'another one'])
      expect((await modelAdmin.upload('removed', '1', content)).status).toBe(409);
    expect(await eventsOf('admin.package_removed')).toEqual([
      { slug: 'removed', version: '2' },
      { slug: 'removed', version: '1' },
    ]);
  });

  it('removes a model that has no package', async () => {
    const path = '/api/admin/models/mistyped';
    const { token } = modelAdmin.admin;
    const remove = async () => (await site.console.request('DELETE', path, { token })).status;
    expect(await remove()).toBe(404);
    await modelAdmin.publish('mistyped', '1');
    expect(await remove()).toBe(409);
    await modelAdmin.store('mistyped', { name: 'M', version: null });
    expect(await remove()).toBe(409);
    await modelAdmin.remove('mistyped', '1');
    expect(await remove()).toBe(204);
    expect((await modelAdmin.read('mistyped')).status).toBe(404);
    expect(await eventsOf('admin.model_changed')).toContainEqual({ slug: 'mistyped', removed: true });
    // Its version was public, so it stays reserved.
    expect((await modelAdmin.upload('mistyped', '1', 'another one')).status).toBe(409);
  });

  it('gets responses that caches do not store', async () => {
    for (const path of ['', '/life']) {
      const { headers } = await site.console.request('GET', `/api/admin/models${path}`, {
        token: modelAdmin.admin.token,
      });
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('cannot publish and remove the same package concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const version = `r${round}`;
      await modelAdmin.upload('raced', version, version);
      await modelAdmin.store('raced', { name: 'Raced', version: null });
      const answers = await Promise.all([
        modelAdmin.store('raced', { name: 'Raced', version }),
        modelAdmin.remove('raced', version),
      ]);
      const outcome = answers.map(({ status }) => status).join();
      expect(['200,409', '409,204']).toContain(outcome);
      expect(await isPublic('raced')).toBe(outcome === '200,409');
    }
  });

  it('can publish two versions concurrently', async () => {
    for (const version of ['1', '2']) await modelAdmin.upload('twice', version, version);
    const answers = await Promise.all(
      ['1', '2', '1', '2'].map((version) => modelAdmin.store('twice', { name: 'Twice', version })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200]);
  });

  it('cannot change or delete a package, because the database refuses it', async () => {
    await modelAdmin.publish('kept', '1');
    const roles = [site.database.pool, site.console.app.get(Database)];
    const changes = [
      "UPDATE catalogue.packages SET sha256 = sha256('x') WHERE slug = 'kept'",
      "UPDATE catalogue.packages SET published_at = NULL WHERE slug = 'kept'",
      "UPDATE catalogue.packages SET stored_at = now() WHERE slug = 'kept'",
      "DELETE FROM catalogue.packages WHERE slug = 'kept'",
    ];
    for (const role of roles)
      for (const change of changes)
        await expect(role.query(change)).rejects.toThrow('a package never changes');
    const another = "UPDATE catalogue.packages SET size = 1, file_name = 'x' WHERE slug = 'kept'";
    await expect(roles[1]!.query(another)).rejects.toThrow('permission denied');
  });

  const body = { name: 'n' };
  it.each<[unknown, string]>([
    [{}, 'name'],
    [[], 'object'],
    [{ ...body, name: ' ' }, 'name'],
    [{ ...body, name: 7 }, 'name'],
    [{ ...body, name: 'two\nlines' }, 'name'],
    [{ ...body, name: 'x'.repeat(201) }, 'name'],
    [{ ...body, description: null }, 'description'],
    [{ ...body, description: 'x'.repeat(20_001) }, 'description'],
    [{ ...body, description: 'bell\u0007' }, 'description'],
    [{ ...body, description: 'nul\0' }, 'description'],
    [{ ...body, family: '' }, 'family'],
    [{ ...body, parameters: 7 }, 'parameters'],
    [{ ...body, quantization: 'x'.repeat(101) }, 'quantization'],
    [{ ...body, format: ['gguf'] }, 'format'],
    [{ ...body, license: '\u2028' }, 'license'],
    [{ ...body, version: '' }, 'version'],
    [{ ...body, version: '../1' }, 'version'],
    [{ ...body, version: 1 }, 'version'],
    [{ ...body, published_at: '2026-01-01T00:00:00Z' }, 'published_at'],
  ])('is refused %j', async (refused, field) => {
    const answer = await modelAdmin.store('refused', refused);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
    expect((await modelAdmin.read('refused')).status).toBe(404);
  });

  it.each([
    'a//b',
    'a%2F..%2Fb',
    'a/.%2Fb',
    'a%20b',
    'x'.repeat(201),
    'a/download',
    'Packages/a',
    '%2Fa',
    'a%2F',
    '%C3%A4',
    'a%00',
  ])('cannot use the slug %s', async (slug) => {
    const answers = [await modelAdmin.store(slug, body), await modelAdmin.upload(slug, '1', 'x')];
    for (const answer of answers)
      expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining('slug') }]);
  });
});
