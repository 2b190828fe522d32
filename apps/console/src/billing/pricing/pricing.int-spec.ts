import { waitFor } from '@inference/testing';
import { type SignedIn, TestSite } from '../../testing/console.fixture';

const MODELS = '/api/admin/billing/pricing/models';
const GPUS = '/api/admin/billing/pricing/gpus';
const IN = 'per_million_input_tokens';
const OUT = 'per_million_output_tokens';
const BOTH = 'per_million_tokens';

describe('pricing', () => {
  let site: TestSite;
  let admin: SignedIn;
  const put = (path: string, json: unknown) =>
    site.console.request('PUT', path, { token: admin.token, json });
  const read = (query = '') => site.console.request('GET', `/api/pricing${query}`);

  beforeAll(async () => {
    site = await TestSite.start();
    admin = await site.signedIn('admin');
  });
  afterAll(() => site.stop());

  it('is empty before anything is published', async () => {
    expect((await read()).body).toEqual({ models: [], model_details: [], gpus: [] });
  });

  it('shows the published prices exactly and in order', async () => {
    const raw =
      `{"models":[{"slug":"z/large:1","unit":"${IN}","price":0.000001},{"slug":"z/large:1","unit":"${OUT}","price":1e1,"currency":"USD"},` +
      `{"slug":"a","unit":"per_request","price":0.000000000001},{"slug":"free","unit":"${BOTH}","price":0}]}`;
    const answer = await site.console.request('PUT', MODELS, { token: admin.token, raw });
    expect(answer.status).toBe(200);
    const shown =
      `{"models":[{"slug":"z/large:1","unit":"${IN}","price":0.000001,"currency":"USD"},` +
      `{"slug":"z/large:1","unit":"${OUT}","price":10,"currency":"USD"},` +
      `{"slug":"a","unit":"per_request","price":0.000000000001,"currency":"USD"},{"slug":"free","unit":"${BOTH}","price":0,"currency":"USD"}]`;
    expect(answer.text).toBe(
      `${shown},${shown.replace('{"models"', '"added"')},"changed":[],"removed":[],"warnings":[],"below_cost":[]}`,
    );
    const gpus = await put(GPUS, { gpus: [{ name: 'H100 80GB', hourly_price: 2.99 }] });
    const shownGpus = '"gpus":[{"name":"H100 80GB","hourly_price":2.99,"currency":"USD"}]';
    expect(gpus.text).toBe(
      `{${shownGpus},${shownGpus.replace('gpus', 'added')},"changed":[],"removed":[],"warnings":[]}`,
    );
    expect((await read()).text).toBe(`${shown},"model_details":[],${shownGpus}}`);
    await site.database.pool.query(
      `INSERT INTO serving.models (id, slug, context_tokens, max_output_tokens, input_modalities)
       VALUES ('mod_large', 'z/large:1', 8192, NULL, '{text,image}'), ('mod_else', 'elsewhere', 1, NULL, NULL),
         ('mod_every', '*', NULL, 100, NULL)`,
    );
    const { body } = await read();
    await site.database.pool.query('DELETE FROM serving.models');
    const byDefault = { context_tokens: null, input_modalities: null, output_modalities: null };
    expect(body).toMatchObject({
      model_details: [
        {
          slug: 'z/large:1',
          context_tokens: 8_192,
          max_output_tokens: null,
          input_modalities: ['text', 'image'],
          output_modalities: null,
        },
        { slug: 'a', max_output_tokens: 100, ...byDefault },
        { slug: 'free', max_output_tokens: 100, ...byDefault },
      ],
    });
    const { rows } = await site.database.pool.query(
      'SELECT slug, unit, rate_picos FROM pricing.model_prices ORDER BY position',
    );
    expect(rows).toEqual([
      { slug: 'z/large:1', unit: IN, rate_picos: 1n },
      { slug: 'z/large:1', unit: OUT, rate_picos: 10_000_000n },
      { slug: 'a', unit: 'per_request', rate_picos: 1n },
      { slug: 'free', unit: BOTH, rate_picos: 0n },
    ]);
  });

  it('replaces the whole list and keeps the old one as history', async () => {
    await put(MODELS, { models: [{ slug: 'first', unit: BOTH, price: 1 }] });
    await put(MODELS, { models: [{ slug: 'second', unit: BOTH, price: 2 }] });
    expect((await read()).body).toMatchObject({ models: [{ slug: 'second' }] });
    const { rows } = await site.database.pool.query(
      "SELECT p.slug, l.published_by FROM pricing.model_prices p JOIN pricing.price_lists l ON l.id = p.price_list_id WHERE slug IN ('first', 'second') ORDER BY l.id",
    );
    expect(rows).toEqual([
      { slug: 'first', published_by: admin.accountId },
      { slug: 'second', published_by: admin.accountId },
    ]);
    await put(MODELS, { models: [] });
    expect((await read()).body).toMatchObject({ models: [] });
  });

  it('numbers lists in the order of their publication', async () => {
    const before = (await read()).text;
    const earlier = await site.database.pool.connect();
    try {
      await earlier.query('BEGIN');
      await earlier.query("SELECT pg_advisory_xact_lock(hashtext('pricing.price_lists models'))");
      const publishing = put(MODELS, { models: [{ slug: 'later', unit: BOTH, price: 1 }] });
      await waitFor(async () => {
        const { rowCount } = await site.database.pool.query(
          `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        return rowCount;
      });
      expect((await read()).text).toBe(before);
      await earlier.query("INSERT INTO pricing.price_lists (kind) VALUES ('models')");
      await earlier.query('COMMIT');
      expect((await publishing).status).toBe(200);
      expect((await read()).body).toMatchObject({ models: [{ slug: 'later' }] });
    } finally {
      earlier.release(true);
    }
  });

  it('notifies every service', async () => {
    const client = await site.database.pool.connect();
    const heard: string[] = [];
    client.on('notification', ({ channel }) => heard.push(channel));
    await client.query('LISTEN pricing');
    await put(MODELS, { models: [{ slug: 'loud', unit: BOTH, price: 1 }] });
    await waitFor(() => heard.length > 0);
    client.release(true);
    expect(heard).toContain('pricing');
  });

  it('caps each list at `limit`', async () => {
    await put(MODELS, { models: ['a', 'b', 'c'].map((slug) => ({ slug, unit: BOTH, price: 1 })) });
    await put(GPUS, { gpus: ['x', 'y', 'z'].map((name) => ({ name, hourly_price: 1 })) });
    expect((await read('?limit=2')).body).toMatchObject({
      models: [{ slug: 'a' }, { slug: 'b' }],
      gpus: [{ name: 'x' }, { name: 'y' }],
    });
    expect((await read('?limit=100')).status).toBe(200);
    for (const limit of ['0', '101', '-1', '1.5', 'all', '', '1&limit=2', '%00', '1e1'] as const) {
      expect([limit, (await read(`?limit=${limit}`)).status]).toEqual([limit, 400]);
    }
  });

  const row = { slug: 'm', unit: BOTH, price: 1 };
  it.each<[unknown, string]>([
    [{}, 'models'],
    [[], 'object'],
    [{ models: {} }, 'models'],
    [{ models: [row], extra: 1 }, 'extra'],
    [{ models: [null] }, 'models: must be a list of objects'],
    [{ models: [{ ...row, extra: 1 }] }, 'models.0'],
    [{ models: [{ ...row, slug: '' }] }, 'models.0.slug'],
    [{ models: [{ ...row, slug: 'has space' }] }, 'models.0.slug'],
    [{ models: [{ ...row, slug: 'x'.repeat(201) }] }, 'models.0.slug'],
    [{ models: [{ ...row, slug: 'nul\0' }] }, 'models.0.slug'],
    [{ models: [{ ...row, unit: 'per_token' }] }, 'models.0.unit'],
    [{ models: [{ ...row, price: -0.01 }] }, 'models.0.price'],
    [{ models: [{ ...row, price: '1' }] }, 'models.0.price'],
    [{ models: [{ ...row, price: null }] }, 'models.0.price'],
    [{ models: [{ ...row, price: NaN }] }, 'models.0.price'],
    [{ models: [{ ...row, price: 0.0000001 }] }, 'models.0.price'],
    [{ models: [{ ...row, price: 0.1 + 0.2 }] }, 'models.0.price'],
    [{ models: [{ ...row, unit: 'per_request', price: 1e-13 }] }, 'models.0.price'],
    [{ models: [{ ...row, price: 1_000_000.5 }] }, 'models.0.price'],
    [{ models: [{ ...row, price: 1e300 }] }, 'models.0.price: is too large'],
    [{ models: [row, { ...row, price: undefined }] }, 'models.1.price'],
    [{ models: [{ ...row, currency: 'CNY' }] }, 'models.0.currency'],
    [{ models: [{ ...row, currency: 'usd' }] }, 'models.0.currency'],
    [{ models: [row, row] }, 'models.1.unit'],
    [{ models: [row, { ...row, unit: IN }] }, 'models.0.unit'],
    [{ models: [{ ...row, unit: OUT }, row] }, 'models.1.unit'],
    [{ models: Array.from({ length: 5001 }, (_, n) => ({ ...row, slug: `m${n}` })) }, 'models'],
  ])('changes nothing for the models %j', async (body, field) => {
    const before = (await read()).text;
    const answer = await put(MODELS, body);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
    expect((await read()).text).toBe(before);
  });

  it('refuses a number with more digits than can be stored', async () => {
    for (const price of ['1e999', '-1e999', '0.12345678901234567890']) {
      const raw = `{"models":[{"slug":"m","unit":"per_request","price":${price}}]}`;
      expect((await site.console.request('PUT', MODELS, { token: admin.token, raw })).status).toBe(400);
    }
  });

  it('reports every fault at once', async () => {
    const answer = await put(MODELS, {
      models: [
        { slug: '', unit: 'x', price: -1 },
        { ...row, price: '1' },
      ],
    });
    const { error } = answer.body as { error: string };
    for (const path of ['models.0.slug', 'models.0.unit', 'models.0.price', 'models.1.price'])
      expect(error).toContain(path);
  });

  it('accepts input, output and request prices for one model', async () => {
    const models = [IN, OUT, 'per_request'].map((unit) => ({ ...row, unit }));
    expect((await put(MODELS, { models })).status).toBe(200);
  });

  const gpu = { name: 'g', hourly_price: 1 };
  it.each<[unknown, string]>([
    [{}, 'gpus'],
    [{ gpus: [{ ...gpu, name: ' ' }] }, 'gpus.0.name'],
    [{ gpus: [{ ...gpu, name: 'x'.repeat(101) }] }, 'gpus.0.name'],
    [{ gpus: [{ ...gpu, name: 'a\nb' }] }, 'gpus.0.name: must be one line'],
    [{ gpus: [{ ...gpu, name: 'a\u2028b' }] }, 'gpus.0.name: must be one line'],
    [{ gpus: [{ ...gpu, name: 'a\u001bb' }] }, 'gpus.0.name: must be one line'],
    [{ gpus: [{ ...gpu, hourly_price: 'one' }] }, 'gpus.0.hourly_price'],
    [{ gpus: [{ ...gpu, hourly_price: -1 }] }, 'gpus.0.hourly_price'],
    [{ gpus: [{ ...gpu, hourly_price: 1e-13 }] }, 'gpus.0.hourly_price'],
    [{ gpus: [{ ...gpu, hourly_price: 1e7 }] }, 'gpus.0.hourly_price'],
    [{ gpus: [gpu, { ...gpu, name: ' g ' }] }, 'gpus.1.name'],
    [{ gpus: [{ ...gpu, currency: 'CNY' }] }, 'gpus.0.currency'],
    [{ gpus: [{ ...gpu, price: 1 }] }, 'gpus.0'],
  ])('changes nothing for the GPUs %j', async (body, field) => {
    const before = (await read()).text;
    const answer = await put(GPUS, body);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
    expect((await read()).text).toBe(before);
  });

  it('answers 409 to exchange rates where the currency is USD', async () => {
    const answer = await put('/api/admin/billing/exchange-rates', {
      rates: [{ date: '2026-01-31', usd_per_unit: '0.14' }],
    });
    expect([answer.status, answer.body]).toEqual([409, { error: expect.any(String) }]);
  });

  it('has no exchange rates where the currency is USD', async () => {
    const { status, body } = await site.console.request('GET', '/api/admin/billing/exchange-rates', {
      token: admin.token,
    });
    expect([status, body]).toEqual([200, { current: null, rates: [], version: '0', next_cursor: null }]);
  });
});

describe('pricing on the China site', () => {
  let site: TestSite;
  let admin: SignedIn;
  const put = (path: string, json: unknown) =>
    site.console.request('PUT', path, { token: admin.token, json });
  const storeRates = (rates: unknown) => put('/api/admin/billing/exchange-rates', { rates });

  beforeAll(async () => {
    site = await TestSite.start({ SITE: 'cn' });
    admin = await site.signedIn('admin');
  });
  afterAll(() => site.stop());

  it('is in yuan', async () => {
    const row = { slug: 'm', unit: BOTH, price: 7 };
    const published = [{ ...row, currency: 'CNY' }];
    expect((await put(MODELS, { models: [row] })).body).toMatchObject({
      models: published,
      added: published,
    });
    expect((await put(MODELS, { models: [{ ...row, currency: 'USD' }] })).status).toBe(400);
  });

  it('lists the exchange rates, and names the one of today', async () => {
    const path = '/api/admin/billing/exchange-rates';
    const get = (query: string) => site.console.request('GET', `${path}?${query}`, { token: admin.token });
    const rates = [
      { date: '2999-01-01', usd_per_unit: 0.2 },
      { date: '2020-01-02', usd_per_unit: 0.1 },
      { date: '2020-01-01', usd_per_unit: 0.15 },
    ];
    await storeRates(rates);
    const first = await get('limit=2');
    expect(first.body).toEqual({
      current: rates[1],
      rates: rates.slice(0, 2),
      version: expect.stringMatching(/^[0-9a-f]{32}$/),
      next_cursor: expect.any(String),
    });
    const { next_cursor: cursor, version } = first.body as { next_cursor: string; version: string };
    expect((await get(`limit=2&cursor=${cursor}`)).body).toEqual({
      current: rates[1],
      rates: rates.slice(2),
      version,
      next_cursor: null,
    });
    expect((await get('cursor=no')).status).toBe(400);
    await site.database.pool.query('DELETE FROM pricing.exchange_rates');
  });

  it('stores exact exchange rates by day and changes them', async () => {
    const first = await storeRates([
      { date: '2026-01-30', usd_per_unit: 0.139 },
      { date: '2026-01-31', usd_per_unit: '0.1400000001' },
    ]);
    expect(first.status).toBe(200);
    expect(first.text).toContain(
      '{"rates":[{"date":"2026-01-30","usd_per_unit":0.139},{"date":"2026-01-31","usd_per_unit":0.1400000001}],',
    );
    const { version } = first.body as { version: string };
    const change = { rates: [{ date: '2026-01-30', usd_per_unit: 1 }] };
    const path = '/api/admin/billing/exchange-rates';
    expect((await put(`${path}?version=x`, change)).status).toBe(400);
    const stale = await put(`${path}?version=0`, change);
    expect([stale.status, stale.body]).toEqual([
      409,
      { error: `version: ${version} was stored meanwhile; compare with it and try again` },
    ]);
    // Of two changes that are based on the same rates one is stored.
    const both = await Promise.all([
      put(`${path}?version=${version}`, change),
      put(`${path}?version=${version}`, change),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { rows } = await site.database.pool.query(
      'SELECT day::text, usd_per_unit::text FROM pricing.exchange_rates ORDER BY day',
    );
    expect(rows).toEqual([
      { day: '2026-01-30', usd_per_unit: '1.0000000000' },
      { day: '2026-01-31', usd_per_unit: '0.1400000001' },
    ]);
  });

  const rate = { date: '2026-02-01', usd_per_unit: 0.14 };
  it.each<[unknown]>([
    [undefined],
    [[]],
    [[{ ...rate, date: '2026-02-30' }]],
    [[{ ...rate, date: '0000-01-01' }]],
    [[{ ...rate, date: '2026-02-01T00:00:00Z' }]],
    [[{ ...rate, date: 20260201 }]],
    [[{ ...rate, usd_per_unit: 0 }]],
    [[{ ...rate, usd_per_unit: -0.14 }]],
    [[{ ...rate, usd_per_unit: '0.14000000001' }]],
    [[{ ...rate, usd_per_unit: 1e9 }]],
    [[{ ...rate, usd_per_unit: 'NaN' }]],
    [[rate, rate]],
    [[{ ...rate, day: 1 }]],
  ])('refuses the exchange rates %j', async (rates) => {
    expect((await storeRates(rates)).status).toBe(400);
    const { rows } = await site.database.pool.query(
      "SELECT FROM pricing.exchange_rates WHERE day = '2026-02-01'",
    );
    expect(rows).toEqual([]);
  });
});
