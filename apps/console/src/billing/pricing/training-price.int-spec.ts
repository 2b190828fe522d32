import { type SignedIn, TestSite } from '../../testing/console.fixture';

const TRAINING = '/api/admin/billing/pricing/training';

describe.each([
  ['intl', 'USD', 'CNY'],
  ['cn', 'CNY', 'USD'],
])('the price of training on site %s', (region, currency, otherCurrency) => {
  let site: TestSite;
  let admin: SignedIn;
  const send = (method: string, path: string, raw?: string) =>
    site.console.request(method, path, { token: admin.token, ...(raw !== undefined && { raw }) });

  beforeAll(async () => {
    site = await TestSite.start({ SITE: region });
    admin = await site.signedIn('admin');
  });
  afterAll(() => site.stop());

  it('is null at first', async () => {
    expect((await send('GET', TRAINING)).body).toEqual({ training: null });
    expect((await send('GET', `${TRAINING}/history`)).body).toEqual({ lists: [], next_cursor: null });
  });

  it('is published exactly, and the former ones are its history', async () => {
    await send('PUT', TRAINING, '{"token_per_m":0,"gpu_hour":0}');
    const raw = `{"token_per_m":3.000001,"gpu_hour":2.990000000001,"currency":"${currency}"}`;
    const answer = await send('PUT', TRAINING, raw);
    expect([answer.status, answer.text]).toEqual([200, `{"training":${raw}}`]);
    expect((await send('GET', TRAINING)).text).toBe(answer.text);
    const page = (await send('GET', `${TRAINING}/history?limit=1`)).body as {
      lists: object[];
      next_cursor: string;
    };
    expect(page.lists).toMatchObject([
      { published_by: admin.accountId, training: { token_per_m: 3.000001, gpu_hour: 2.990000000001 } },
    ]);
    const next = await send('GET', `${TRAINING}/history?limit=1&cursor=${page.next_cursor}`);
    expect(next.body).toMatchObject({ lists: [{ training: { token_per_m: 0 } }], next_cursor: null });
    const { rows } = await site.database.pool.query(
      `SELECT actor_id, details FROM accounts.security_events WHERE type = 'admin.prices_published'
       ORDER BY created_at DESC LIMIT 1`,
    );
    expect(rows).toEqual([{ actor_id: admin.accountId, details: { list: 'training', rows: 1 } }]);
  });

  it('stays when lists of models and GPUs are replaced', async () => {
    const before = (await send('GET', TRAINING)).text;
    await send('PUT', '/api/admin/billing/pricing/models', '{"models":[]}');
    await send('PUT', '/api/admin/billing/pricing/gpus', '{"gpus":[]}');
    expect((await send('GET', TRAINING)).text).toBe(before);
  });

  it.each([
    ['{}', 'token_per_m: is missing; gpu_hour: is missing'],
    ['{"token_per_m":1}', 'gpu_hour: is missing'],
    ['{"token_per_m":-1,"gpu_hour":1}', 'token_per_m: must not be negative'],
    ['{"token_per_m":"1","gpu_hour":1}', 'token_per_m: must be a number'],
    ['{"token_per_m":0.0000001,"gpu_hour":1}', 'token_per_m: '],
    ['{"token_per_m":1,"gpu_hour":1e-13}', 'gpu_hour: '],
    ['{"token_per_m":1,"gpu_hour":1000000.5}', 'gpu_hour: '],
    ['{"token_per_m":1,"gpu_hour":null}', 'gpu_hour: '],
    ['{"token_per_m":1,"gpu_hour":1,"extra":1}', 'extra'],
    [`{"token_per_m":1,"gpu_hour":1,"currency":"${otherCurrency}"}`, 'currency: '],
  ])('refuses %s', async (raw, message) => {
    const before = (await send('GET', TRAINING)).text;
    const { status, body } = await send('PUT', TRAINING, raw);
    expect([status, body]).toEqual([400, { error: expect.stringContaining(message) }]);
    expect((await send('GET', TRAINING)).text).toBe(before);
  });
});
