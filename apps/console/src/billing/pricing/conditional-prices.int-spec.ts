import { type SignedIn, TestSite } from '../../testing/console.fixture';

const MODELS = '/api/admin/billing/pricing/models';
const IN = 'per_million_input_tokens';
const CACHED = 'per_million_cached_input_tokens';
const OUT = 'per_million_output_tokens';
const BOTH = 'per_million_tokens';
const LATER = '2100-01-01T00:00:00.000Z';
const LAST = '2101-01-01T00:00:00.000Z';

describe('prices with conditions', () => {
  let site: TestSite;
  let admin: SignedIn;
  const send = (method: string, models: unknown[], query = '') =>
    site.console.request(method, MODELS + query, { token: admin.token, json: { models } });
  const put = (models: unknown[], query?: string) => send('PUT', models, query);
  const offered = async () => (await site.console.request('GET', '/api/pricing')).body;
  const listed = async () =>
    ((await site.console.request('GET', MODELS, { token: admin.token })).body as { models: object[] }).models;
  const row = (unit: string, price: number, conditions: object = {}) => ({
    slug: 'm',
    unit,
    price,
    ...conditions,
  });
  const shown = (unit: string, price: number, conditions: object = {}) => ({
    ...row(unit, price, conditions),
    currency: 'USD',
  });
  const flex = { service_tier: 'flex' };
  const large = { min_input_tokens: 200_000 };
  const both = { ...large, ...flex };
  const night = { hours: '16:30-00:30' };
  const later = { effective_from: LATER };

  beforeAll(async () => {
    site = await TestSite.start();
    admin = await site.signedIn('admin');
  });
  afterAll(() => site.stop());

  it('are listed as they were published, and offered in one row of their unit', async () => {
    const models = [
      row(IN, 2),
      row(IN, 3, large),
      row(OUT, 8, flex),
      row(IN, 1.5, later),
      row(OUT, 10),
      row(CACHED, 0.2, later),
      row(OUT, 6, { ...flex, ...later }),
      row('per_audio_minute', 0.006),
    ];
    const { status, body } = await put(models);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ models: models.map((model) => ({ ...model, currency: 'USD' })) }),
    ]);
    expect(await listed()).toEqual(models.map((model) => ({ ...model, currency: 'USD' })));
    expect(await offered()).toMatchObject({
      models: [
        {
          ...shown(IN, 2),
          conditional_prices: [{ price: 3, ...large }],
          upcoming: [{ price: 1.5, ...later }],
        },
        {
          ...shown(OUT, 10),
          conditional_prices: [{ price: 8, ...flex }],
          upcoming: [{ price: 6, ...flex, ...later }],
        },
        shown('per_audio_minute', 0.006),
      ],
    });
    const { body: short } = await site.console.request('GET', '/api/pricing?limit=1');
    expect(short).toMatchObject({ models: [{ unit: IN }] });
  });

  it('leave to earlier versions what these understand', async () => {
    await put([
      row(IN, 2),
      row(IN, 3, large),
      row(OUT, 10),
      row(CACHED, 0.2),
      row(OUT, 1, later),
      row('per_image', 1),
    ]);
    const { rows } = await site.database.pool.query(
      `SELECT position, unit FROM pricing.model_prices WHERE price_list_id = (SELECT max(id) FROM pricing.price_lists)
       ORDER BY position`,
    );
    expect(rows).toEqual([
      { position: 1, unit: IN },
      { position: 3, unit: OUT },
    ]);
  });

  it('become effective at their instant, in the answer and in the next list', async () => {
    await put([row(BOTH, 1), row(BOTH, 2, later)]);
    const before = await site.console.request('GET', '/api/pricing');
    expect(before.body).toMatchObject({ models: [{ price: 1, upcoming: [{ price: 2 }] }] });
    expect(before.headers.get('last-modified')).toBeNull();
    // As if the time had passed.
    await site.database.pool.query(
      "UPDATE pricing.further_model_prices SET effective_from = now() - interval '1 second' WHERE effective_from = $1",
      [LATER],
    );
    expect(await offered()).toMatchObject({ models: [shown(BOTH, 2)] });
    expect(await listed()).toEqual([shown(BOTH, 2)]);
    const { body } = await send('PATCH', [row('per_search', 0.01)]);
    expect(body).toMatchObject({
      models: [shown(BOTH, 2), shown('per_search', 0.01)],
      changed: [],
      removed: [],
    });
  });

  it('that have begun hold at once', async () => {
    await put([row(BOTH, 1), row(BOTH, 2, { effective_from: '2020-01-01T00:00:00Z' })]);
    expect(await listed()).toEqual([shown(BOTH, 2)]);
    const begun = { effective_from: '2021-01-01T00:00:00Z' };
    const { body } = await send('PATCH', [row(BOTH, 3, begun)]);
    expect(body).toMatchObject({ models: [shown(BOTH, 3)], changed: [{ previous_price: 2 }] });
    const removal = await send('PATCH', [{ ...row(BOTH, 0, begun), price: null }]);
    expect(removal.body).toMatchObject({ models: [], removed: [shown(BOTH, 3)] });
  });

  it('are changed and removed by their conditions', async () => {
    await put([row(IN, 2), row(OUT, 3), row(IN, 1, flex), row(IN, 5, both), row(IN, 7, later)]);
    const change = [
      row(IN, 1.5, flex),
      { ...row(IN, 0, both), price: null },
      { ...row(IN, 0, later), price: null },
    ];
    for (const query of ['?dry_run=true', '']) {
      const { body } = await send('PATCH', change, query);
      expect(body).toMatchObject({
        models: [shown(IN, 2), shown(OUT, 3), shown(IN, 1.5, flex)],
        added: [],
        changed: [{ ...shown(IN, 1.5, flex), previous_price: 1 }],
        removed: [shown(IN, 5, both), shown(IN, 7, later)],
      });
    }
    const { body } = await site.console.request('GET', `${MODELS}/history?slug=m&limit=2`, {
      token: admin.token,
    });
    expect(body).toMatchObject({
      lists: [
        { models: [shown(IN, 2), shown(OUT, 3), shown(IN, 1.5, flex)] },
        {
          models: [shown(IN, 2), shown(OUT, 3), shown(IN, 1, flex), shown(IN, 5, both), shown(IN, 7, later)],
        },
      ],
    });
  });

  const plain = row(BOTH, 1);
  it.each<[string, object[], string]>([
    [
      'a conditional price alone',
      [row(BOTH, 1, flex)],
      'models.0.unit: m has no price per_million_tokens without conditions',
    ],
    [
      'one that holds before the unconditional one',
      [row(BOTH, 1, later), row(BOTH, 1, flex)],
      'models.1.unit',
    ],
    [
      'a part without the whole',
      [row(OUT, 1), row(CACHED, 1)],
      `models.1.unit: m is priced ${CACHED} but not ${IN}`,
    ],
    [
      'a part before the whole',
      [row(OUT, 1), row(CACHED, 1), row(IN, 1, later)],
      'models.1.unit: m is priced',
    ],
    [
      'the same conditions twice',
      [plain, row(BOTH, 1, flex), row(BOTH, 2, flex)],
      'models.2.unit: m has more than one',
    ],
    [
      'a tier against a context',
      [plain, row(BOTH, 1, flex), row(BOTH, 2, large)],
      'models.2.unit: m has prices',
    ],
    [
      'a tier against hours',
      [plain, row(BOTH, 1, night), row(BOTH, 2, flex)],
      'that can hold for the same call',
    ],
    [
      'windows that overlap over midnight',
      [plain, row(BOTH, 1, night), row(BOTH, 2, { hours: '00:00-06:00' })],
      'hours 16:30-00:30 and of hours 00:00-06:00',
    ],
    [
      'a tie from an instant on',
      [plain, row(BOTH, 1, night), row(BOTH, 2, { ...flex, ...later })],
      'models.2.unit: m has prices',
    ],
    [
      'a tie that a third price solves for a larger context alone',
      [plain, row(BOTH, 1, night), row(BOTH, 2, flex), row(BOTH, 3, { ...night, ...flex, ...large })],
      'models.2.unit: m has prices',
    ],
    [
      'an empty window',
      [plain, row(BOTH, 1, { hours: '06:00-06:00' })],
      'models.1.hours: must end at another time',
    ],
    [
      'a window that is none',
      [plain, row(BOTH, 1, { hours: '6:00-24:00' })],
      'models.1.hours: must be a daily window',
    ],
    ['an unknown tier', [plain, row(BOTH, 1, { service_tier: 'default' })], 'models.1.service_tier'],
    ['no tokens', [plain, row(BOTH, 1, { min_input_tokens: 0 })], 'models.1.min_input_tokens'],
    ['no instant', [plain, row(BOTH, 1, { effective_from: 'soon' })], 'models.1.effective_from'],
    ['too many digits of a million characters', [row('per_million_characters', 0.0000001)], 'models.0.price'],
    [
      'too many prices of a unit',
      [plain, ...Array.from({ length: 24 }, (_, n) => row(BOTH, 1, { min_input_tokens: n + 1 }))],
      'has more than 24 prices',
    ],
  ])('are refused for %s', async (_what, models, message) => {
    const before = await offered();
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await put(models, query);
      expect([status, body]).toEqual([400, { error: expect.stringContaining(message) }]);
    }
    const others = models.map((model) => ({ ...model, slug: 'other' }));
    expect((await send('PATCH', others)).status).toBe(400);
    expect(await offered()).toEqual(before);
  });

  it.each<[string, object[]]>([
    ['windows that meet', [row(BOTH, 1, night), row(BOTH, 2, { hours: '00:30-16:30' })]],
    [
      'tiers of service that exclude each other',
      [row(BOTH, 1, flex), row(BOTH, 2, { service_tier: 'batch' })],
    ],
    [
      'context tiers, of which the highest holds',
      [row(BOTH, 1, large), row(BOTH, 2, { min_input_tokens: 9 })],
    ],
    [
      'ties that a price of both conditions decides',
      [row(BOTH, 1, night), row(BOTH, 2, flex), row(BOTH, 3, { ...night, ...flex })],
    ],
    ['successors', [row(BOTH, 1, later), row(BOTH, 2, { effective_from: LAST }), row(BOTH, 2, flex)]],
    ['windows that follow each other in time', [row(BOTH, 1, night), row(BOTH, 2, { ...night, ...later })]],
  ])('are published for %s', async (_what, models) => {
    expect((await put([plain, ...models])).status).toBe(200);
  });
});
