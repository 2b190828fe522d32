import { type SignedIn, TestSite } from '../../testing/console.fixture';

const PRICING = '/api/admin/billing/pricing';
const BOTH = 'per_million_tokens';
const IN = 'per_million_input_tokens';
const OUT = 'per_million_output_tokens';

interface List {
  id: string;
  effective_from: string;
  published_by: string | null;
  models: { slug: string; unit: string; price: number; currency: string }[];
  gpus: { name: string; hourly_price: number; currency: string }[];
}
type Page = { lists: List[]; next_cursor: string | null };

describe.each([
  ['intl', 'USD'],
  ['cn', 'CNY'],
])('price history on site %s', (region, currency) => {
  let site: TestSite;
  let admin: SignedIn;
  const read = (kind: 'models' | 'gpus', query = '') =>
    site.console.request('GET', `${PRICING}/${kind}/history${query}`, { token: admin.token });
  const page = async (kind: 'models' | 'gpus', query = '') => (await read(kind, query)).body as Page;
  const publish = (kind: 'models' | 'gpus', raw: string, { token } = admin) =>
    site.console.request('PUT', `${PRICING}/${kind}`, { token, raw });
  const models = (...rows: [slug: string, unit: string, price: number | string][]) =>
    publish(
      'models',
      `{"models":[${rows.map(([slug, unit, price]) => `{"slug":"${slug}","unit":"${unit}","price":${price}}`).join()}]}`,
    );
  const gpus = (...rows: [name: string, price: number | string][]) =>
    publish(
      'gpus',
      `{"gpus":[${rows.map(([name, price]) => `{"name":"${name}","hourly_price":${price}}`).join()}]}`,
    );
  /** All pages with `limit` lists each. */
  const collect = async (kind: 'models' | 'gpus', query: string) => {
    const lists: List[] = [];
    let cursor: string | null = null;
    do {
      const found: Page = await page(kind, `?${query}${cursor ? `&cursor=${cursor}` : ''}`);
      lists.push(...found.lists);
      cursor = found.next_cursor;
    } while (cursor);
    return lists;
  };

  beforeAll(async () => {
    site = await TestSite.start({ SITE: region });
    admin = await site.signedIn('admin');
  });
  beforeEach(() =>
    site.database.pool.query(
      'TRUNCATE pricing.price_lists, pricing.model_prices, pricing.further_model_prices, pricing.gpu_prices, pricing.training_prices',
    ),
  );
  afterAll(() => site.stop());

  it('is empty at first', async () => {
    for (const kind of ['models', 'gpus'] as const) {
      const answer = await read(kind);
      expect([answer.status, answer.body]).toEqual([200, { lists: [], next_cursor: null }]);
    }
  });

  it('lists every publication newest first, with exact prices and its publisher', async () => {
    const other = await site.signedIn('admin');
    const before = Date.now();
    await models(['z', IN, '0.000001'], ['z', OUT, '1e1'], ['a', 'per_request', '0.000000000001']);
    await publish('models', '{"models":[]}', other);
    const answer = await read('models');
    const [empty, full] = (answer.body as Page).lists;
    expect(empty).toMatchObject({ published_by: other.accountId, models: [] });
    expect(full).toMatchObject({ published_by: admin.accountId });
    expect(answer.text).toContain(
      `"models":[{"slug":"z","unit":"${IN}","price":0.000001,"currency":"${currency}"},` +
        `{"slug":"z","unit":"${OUT}","price":10,"currency":"${currency}"},` +
        `{"slug":"a","unit":"per_request","price":0.000000000001,"currency":"${currency}"}]`,
    );
    const path = `${PRICING}/models/history`;
    const csv = await site.console.request('GET', path, {
      token: admin.token,
      headers: { Accept: 'text/csv' },
    });
    const by = (list: List) => `${list.id},${list.effective_from},${list.published_by},`;
    const line = (list: List, price: string) =>
      expect.stringMatching(new RegExp(`^${by(list)}[^,]+,,${price}$`)) as string;
    expect(csv.text.split('\r\n')).toEqual([
      'id,effective_from,published_by,published_by_email,reason,' +
        'slug unit price currency min_input_tokens service_tier hours effective_from'
          .split(' ')
          .map((name) => `models.${name}`)
          .join(),
      line(empty!, ',,,,,,,'),
      line(full!, `z,${IN},0.000001,${currency},,,,`),
      line(full!, `z,${OUT},10,${currency},,,,`),
      line(full!, `a,per_request,0.000000000001,${currency},,,,`),
      '',
    ]);
    expect(Object.keys(full!)).toEqual([
      'id',
      'effective_from',
      'published_by',
      'published_by_email',
      'reason',
      'models',
    ]);
    for (const { effective_from: at } of [empty!, full!]) {
      expect(at).toMatch(/Z$/);
      expect(Math.abs(Date.parse(at) - before)).toBeLessThan(60_000);
    }
    expect((await page('gpus')).lists).toEqual([]);
  });

  it('lists the GPU price lists', async () => {
    await gpus(['H100 80GB', '2.99'], ['A100', '0.000000000001']);
    await site.database.pool.query("INSERT INTO pricing.price_lists (kind) VALUES ('gpus')");
    const { text, body } = await read('gpus');
    expect(text).toContain(
      `"gpus":[{"name":"H100 80GB","hourly_price":2.99,"currency":"${currency}"},` +
        `{"name":"A100","hourly_price":0.000000000001,"currency":"${currency}"}]`,
    );
    expect((body as Page).lists.map(({ published_by: by }) => by)).toEqual([null, admin.accountId]);
  });

  it('is paged without gaps or repetitions', async () => {
    for (const price of [1, 2, 3, 4, 5]) await models(['m', BOTH, price]);
    await gpus(['g', 1]);
    for (const limit of [1, 2, 5, 100]) {
      const lists = await collect('models', `limit=${limit}`);
      expect(lists.map(({ models: [row] }) => row!.price)).toEqual([5, 4, 3, 2, 1]);
    }
    expect((await page('models', '?limit=2')).lists).toHaveLength(2);
  });

  it('has at most 10,000 prices on a page', async () => {
    await site.database.pool.query(
      `WITH list AS (INSERT INTO pricing.price_lists (kind) SELECT 'models' FROM generate_series(1, 5) RETURNING id)
       INSERT INTO pricing.model_prices SELECT id, n, 'model-' || n, '${BOTH}', n FROM list, generate_series(1, 4000) n`,
    );
    const first = await page('models');
    expect(first.lists.map((list) => list.models.length)).toEqual([4000, 4000]);
    const ids = (await collect('models', 'limit=50')).map(({ id }) => Number(id));
    expect(ids).toHaveLength(5);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    await site.database.pool.query(
      `WITH list AS (INSERT INTO pricing.price_lists (kind) VALUES ('models') RETURNING id)
       INSERT INTO pricing.model_prices SELECT id, n, 'model-' || n, '${BOTH}', n FROM list, generate_series(1, 12000) n`,
    );
    expect((await page('models')).lists.map((list) => list.models.length)).toEqual([12_000]);
  });

  it("shows the history of one model's price", async () => {
    await models(['other', BOTH, 1]);
    await models(['m', BOTH, 1], ['other', BOTH, 1]);
    await models(['other', BOTH, 2], ['m', BOTH, 1]);
    await models(['m', OUT, 3], ['m', IN, 2]);
    await models(['m', IN, 2], ['m', OUT, 3]);
    await models(['other', BOTH, 2]);
    await models();
    await models(['m', BOTH, 1]);
    await models(['m', BOTH, '1.000001']);
    const went = [
      [[BOTH, 1.000001]],
      [[BOTH, 1]],
      [],
      [
        [OUT, 3],
        [IN, 2],
      ],
      [[BOTH, 1]],
    ];
    for (const limit of [1, 100]) {
      const lists = await collect('models', `slug=m&limit=${limit}`);
      expect(lists.map((list) => list.models.map(({ unit, price }) => [unit, price]))).toEqual(went);
    }
    expect((await page('models', '?slug=unknown')).lists).toEqual([]);
  });

  it("shows the history of one GPU's price", async () => {
    for (const price of [1, 1, 2]) await gpus(['g 1', price], ['h', price + 1]);
    await gpus();
    const lists = await collect('gpus', 'name=g%201&limit=2');
    expect(lists.map((list) => list.gpus.map(({ hourly_price: price }) => price))).toEqual([[], [2], [1]]);
  });

  it('accepts a cursor only in the list it came from', async () => {
    for (const price of [1, 2]) await models(['m', BOTH, price]);
    const { next_cursor: cursor } = await page('models', '?limit=1');
    expect((await read('models', `?cursor=${cursor}`)).status).toBe(200);
    expect((await read('models', `?slug=m&cursor=${cursor}`)).status).toBe(400);
    expect((await read('gpus', `?cursor=${cursor}`)).status).toBe(400);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=a',
    'cursor=rubbish',
    'cursor=',
    'slug=',
    'slug=a%20b',
    'slug=a&slug=b',
  ])('refuses ?%s', async (query) => {
    const answer = await read('models', `?${query}`);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: expect.stringContaining(query.split('=')[0]!) },
    ]);
  });

  it.each(['name=', `name=${'x'.repeat(101)}`, 'name=%00'])(
    'the history of GPU prices refuses ?%s',
    async (query) => {
      expect((await read('gpus', `?${query}`)).status).toBe(400);
    },
  );

  it('requires the role admin', async () => {
    const { token } = await site.signedIn('analyst');
    for (const kind of ['models', 'gpus']) {
      const path = `${PRICING}/${kind}/history`;
      expect((await site.console.request('GET', path)).status).toBe(401);
      expect((await site.console.request('GET', path, { token })).status).toBe(403);
    }
  });
});
