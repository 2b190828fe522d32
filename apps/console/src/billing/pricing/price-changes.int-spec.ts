import { type SignedIn, TestSite } from '../../testing/console.fixture';

const PRICING = '/api/admin/billing/pricing';
const IN = 'per_million_input_tokens';
const OUT = 'per_million_output_tokens';
const BOTH = 'per_million_tokens';

interface Publication {
  models: unknown[];
  added: unknown[];
  changed: unknown[];
  removed: unknown[];
}

describe('changes of prices', () => {
  let site: TestSite;
  let admin: SignedIn;
  const send = (method: string, path: string, json?: unknown, { token } = admin) =>
    site.console.request(method, PRICING + path, { token, json });
  const model = (slug: string, unit: string, price: number | null) => ({ slug, unit, price });
  const priced = (slug: string, unit: string, price: number) => ({ slug, unit, price, currency: 'USD' });
  const gpu = (name: string, price: number | null) => ({ name, hourly_price: price });
  const state = async () => {
    const { rows } = await site.database.pool.query(
      `SELECT (SELECT count(*) FROM pricing.price_lists) AS lists,
         (SELECT count(*) FROM accounts.security_events WHERE type = 'admin.prices_published') AS events,
         (SELECT changed_at::text FROM catalogue.changes WHERE topic = 'prices') AS changed`,
    );
    return rows[0] as object;
  };
  const lastEvent = async () => {
    const { rows } = await site.database.pool.query<{ actor_id: string; details: object }>(
      `SELECT actor_id, details FROM accounts.security_events WHERE type = 'admin.prices_published'
       ORDER BY created_at DESC LIMIT 1`,
    );
    return rows[0];
  };

  beforeAll(async () => {
    site = await TestSite.start();
    admin = await site.signedIn('admin');
  });
  beforeEach(async () => {
    await send('PUT', '/models', {
      models: [model('chat', IN, 0.5), model('chat', OUT, 1.5), model('embed', IN, 0.02)],
    });
    await send('PUT', '/gpus', { gpus: [gpu('A', 1), gpu('B', 2)] });
  });
  afterAll(() => site.stop());

  it('are what a PUT added, changed and removed', async () => {
    const models = [model('chat', IN, 0.5), model('chat', OUT, 2), model('mini', BOTH, 0.1)];
    const { status, body } = await send('PUT', '/models', { models });
    expect([status, body]).toEqual([
      200,
      {
        models: [priced('chat', IN, 0.5), priced('chat', OUT, 2), priced('mini', BOTH, 0.1)],
        added: [priced('mini', BOTH, 0.1)],
        below_cost: [],
        changed: [{ ...priced('chat', OUT, 2), previous_price: 1.5 }],
        removed: [priced('embed', IN, 0.02)],
        warnings: [],
      },
    ]);
    const again = (await send('PUT', '/models', { models })).body as Publication;
    expect(again).toMatchObject({ added: [], changed: [], removed: [] });
    const gpus = await send('PUT', '/gpus', { gpus: [gpu('C', 3), gpu('A', 4)] });
    expect(gpus.body).toMatchObject({
      added: [{ name: 'C', hourly_price: 3 }],
      changed: [{ name: 'A', hourly_price: 4, previous_hourly_price: 1 }],
      removed: [{ name: 'B', hourly_price: 2 }],
    });
  });

  it.each([
    ['PUT', '/models', { models: [{ slug: 'new', unit: BOTH, price: 1 }] }],
    ['PATCH', '/models', { models: [{ slug: 'new', unit: BOTH, price: 1 }] }],
    ['PUT', '/gpus', { gpus: [{ name: 'new', hourly_price: 1 }] }],
    ['PATCH', '/gpus', { gpus: [{ name: 'new', hourly_price: 1 }] }],
    ['PUT', '/training', { token_per_m: 1, gpu_hour: 1 }],
  ])('are shown and not made by a dry run of %s %s', async (method, path, json) => {
    const before = [await state(), (await send('GET', path)).text];
    const dry = await send(method, `${path}?dry_run=true`, json);
    expect(dry.status).toBe(200);
    expect([await state(), (await send('GET', path)).text]).toEqual(before);
    const made = await send(method, `${path}?dry_run=false`, json);
    expect([made.status, made.text]).toEqual([200, dry.text]);
    expect(await state()).not.toEqual(before[0]);
  });

  it.each(['dry_run=1', 'dry_run=', 'dryrun=true', 'dry_run=true&dry_run=true'])(
    'are refused with ?%s',
    async (query) => {
      const before = await state();
      expect((await send('PUT', `/models?${query}`, { models: [] })).status).toBe(400);
      expect(await state()).toEqual(before);
    },
  );

  it('by PATCH leave the other prices as they are', async () => {
    const { status, body } = await send('PATCH', '/models', {
      models: [model('mini', BOTH, 0.1), model('chat', OUT, 2), model('embed', IN, null)],
    });
    const models = [priced('chat', IN, 0.5), priced('chat', OUT, 2), priced('mini', BOTH, 0.1)];
    expect([status, body]).toEqual([
      200,
      {
        models,
        added: [priced('mini', BOTH, 0.1)],
        below_cost: [],
        changed: [{ ...priced('chat', OUT, 2), previous_price: 1.5 }],
        removed: [priced('embed', IN, 0.02)],
        warnings: [],
      },
    ]);
    expect((await send('GET', '/models')).body).toEqual({ models });
    expect(await lastEvent()).toEqual({ actor_id: admin.accountId, details: { list: 'models', rows: 3 } });
    const gpus = await send('PATCH', '/gpus', { gpus: [gpu('B', null), gpu('C', 3)] });
    expect(gpus.body).toMatchObject({ gpus: [{ name: 'A' }, { name: 'C' }], removed: [{ name: 'B' }] });
    expect(await lastEvent()).toMatchObject({ details: { list: 'gpus', rows: 2 } });
  });

  it('by PATCH can replace one unit by another', async () => {
    const both = await send('PATCH', '/models', {
      models: [model('chat', IN, null), model('chat', OUT, null), model('chat', BOTH, 1)],
    });
    expect((both.body as Publication).models).toEqual([priced('embed', IN, 0.02), priced('chat', BOTH, 1)]);
  });

  it('by PATCH of several admins are all made', async () => {
    const slugs = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(slugs.map((slug) => send('PATCH', '/models', { models: [model(slug, BOTH, 1)] })));
    const { models } = (await send('GET', '/models')).body as { models: { slug: string }[] };
    expect(models.map(({ slug }) => slug).sort()).toEqual([...slugs, 'chat', 'chat', 'embed'].sort());
  });

  it.each([
    ['/models', {}, 'models'],
    ['/models', { models: [] }, 'models'],
    ['/models', { models: [model('chat', BOTH, 1)] }, 'models: chat is priced per_million_tokens and also'],
    ['/models', { models: [model('x', IN, 1), model('x', IN, null)] }, 'models.1.unit'],
    ['/models', { models: [{ slug: 'x', unit: IN }] }, 'models.0.price'],
    ['/models', { models: [model('x', IN, 0.0000001)] }, 'models.0.price'],
    ['/models', { models: [{ ...model('x', IN, 1), currency: 'CNY' }] }, 'models.0.currency'],
    ['/gpus', { gpus: [gpu('A', 1), gpu('A', null)] }, 'gpus.1.name'],
    ['/gpus', { gpus: [gpu('A', -1)] }, 'gpus.0.hourly_price'],
  ])('by PATCH %s %j are refused', async (path, json, message) => {
    const before = await state();
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await send('PATCH', path + query, json);
      expect([status, body]).toEqual([400, { error: expect.stringContaining(message) }]);
    }
    expect(await state()).toEqual(before);
  });

  it('by PATCH cannot make a list too long', async () => {
    const models = Array.from({ length: 5_000 }, (_, n) => model(`m${n}`, BOTH, 1));
    const { status, body } = await send('PATCH', '/models', { models });
    expect([status, body]).toEqual([400, { error: 'models: must have at most 5000 rows' }]);
  });

  it('are not for analysts, and neither are the lists', async () => {
    const analyst = await site.signedIn('analyst');
    for (const path of ['/models', '/gpus', '/training', '/training/history']) {
      expect((await send('GET', path, undefined, analyst)).status).toBe(403);
    }
    for (const path of ['/models', '/gpus']) {
      expect((await send('PATCH', path, {}, analyst)).status).toBe(403);
      expect((await send('GET', path)).headers.get('cache-control')).toBe('no-store');
    }
    expect((await send('PUT', '/training', {}, analyst)).status).toBe(403);
  });

  it('store a reason, which the history shows with the address of the publisher', async () => {
    const operator = await site.signedIn('operator');
    const reason = 'The provider is dearer';
    const query = `?reason=${encodeURIComponent(reason)}`;
    const changed = await send('PATCH', `/models${query}`, { models: [model('chat', IN, 0.6)] }, operator);
    expect(changed.status).toBe(200);
    const { body } = await send('GET', '/models/history?limit=2');
    const [newest, former] = (body as { lists: object[] }).lists;
    const { rows } = await site.database.pool.query<{ email: string }>(
      'SELECT email FROM accounts.accounts WHERE id = $1',
      [operator.accountId],
    );
    expect(newest).toMatchObject({
      published_by: operator.accountId,
      published_by_email: rows[0]!.email,
      reason,
    });
    expect(former).toMatchObject({ published_by: admin.accountId, reason: null });
    expect(await lastEvent()).toEqual({
      actor_id: operator.accountId,
      details: { list: 'models', rows: 3, reason },
    });
    expect((await send('PATCH', `/models?reason=${'x'.repeat(501)}`, { models: [] })).status).toBe(400);
  });

  it('are replaced as a whole by admins only, as the specification says', async () => {
    const operator = await site.signedIn('operator');
    const models = [model('chat', BOTH, 1)];
    expect((await send('PUT', '/models', { models }, operator)).status).toBe(403);
    expect((await send('PUT', '/models', { models })).status).toBe(200);
  });

  it('are answered with a warning if they are large, also in a dry run', async () => {
    const warnings = async (path: string, json: unknown) =>
      ((await send('PATCH', `${path}?dry_run=true`, json)).body as { warnings: string[] }).warnings;
    const large = 'changes by half or more';
    for (const [price, expected] of [
      [0.74, []],
      [0.75, [`chat ${IN}: ${large}`]],
      [5, [`chat ${IN}: ${large}`]],
      [0.26, []],
      [0.25, [`chat ${IN}: ${large}`]],
      [0, [`chat ${IN}: ${large}`]],
    ] as const)
      expect(await warnings('/models', { models: [model('chat', IN, price)] })).toEqual(expected);
    const from = (year: number, price: number) => ({
      ...model('chat', IN, price),
      effective_from: `${year}-01-01T00:00:00Z`,
    });
    expect(await warnings('/models', { models: [from(2040, 0.74), from(2041, 1)] })).toEqual([]);
    expect(await warnings('/models', { models: [from(2040, 50)] })).toEqual([`chat ${IN}: ${large}`]);
    expect(await warnings('/models', { models: [from(2041, 1.2), from(2040, 0.7)] })).toEqual([
      `chat ${IN}: ${large}`,
    ]);
    expect(await warnings('/gpus', { gpus: [gpu('A', 1.5), gpu('B', 2.1), gpu('C', 9)] })).toEqual([
      `A: ${large}`,
    ]);
  });

  it('come as CSV', async () => {
    const { text, headers } = await site.console.request('GET', `${PRICING}/models`, {
      token: admin.token,
      headers: { Accept: 'text/csv' },
    });
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(text.split('\r\n').slice(0, 3)).toEqual([
      'slug,unit,price,currency,min_input_tokens,service_tier,hours,effective_from',
      `chat,${IN},0.5,USD,,,,`,
      `chat,${OUT},1.5,USD,,,,`,
    ]);
  });
});
