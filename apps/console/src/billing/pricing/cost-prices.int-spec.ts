import { publishPrices } from '@inference/testing';
import { type SignedIn, TestSite } from '../../testing/console.fixture';

/** What upstreams take, and what is left of the prices of models then. */

const UPSTREAMS = '/api/admin/upstreams';

let site: TestSite;
let admin: SignedIn;

beforeAll(async () => {
  site = await TestSite.start();
  admin = await site.signedIn('admin');
});
beforeEach(() => site.database.pool.query('DELETE FROM serving.upstreams'));
afterAll(() => site.stop());

const send = (method: string, path: string, json?: object) =>
  site.console.request(method, path, { token: admin.token, ...(json && { json }) });
const errorOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { error: string }).error,
];
const create = async (fields: object = {}): Promise<{ id: string }> => {
  const { status, body } = await send('POST', UPSTREAMS, {
    ...{ name: 'gpu-1', base_url: 'http://127.0.0.1:9/v1' },
    ...fields,
  });
  expect(status).toBe(201);
  return body as { id: string };
};

describe('what upstreams take', () => {
  const OUTPUT = 'per_million_output_tokens';
  const INPUT = 'per_million_input_tokens';
  const pathOf = (id: string) => `${UPSTREAMS}/${id}/cost-prices`;
  const costs = (input: number, output: number) => ({
    cost_prices: [
      { model: 'Org/Small', unit: INPUT, price: input },
      { model: 'Org/Small', unit: OUTPUT, price: output, effective_from: null },
    ],
  });
  const BELOW = `sold ${OUTPUT}: is below what gpu-1 takes for output`;

  it('is published like prices, with a version, a history, an event, and a warning below cost', async () => {
    await publishPrices(site.database.pool, [
      { slug: 'sold', unit: INPUT, ratePicos: 1_000_000n },
      { slug: 'sold', unit: OUTPUT, ratePicos: 2_000_000n },
    ]);
    const { id } = await create({ models: [{ model: 'sold', upstream_name: 'Org/Small' }] });
    const path = pathOf(id);
    expect((await send('GET', path)).body).toEqual({ version: '0', cost_prices: [] });
    const dry = await send('PUT', `${path}?dry_run=true`, costs(1, 2.5));
    expect(dry.body).toMatchObject({
      added: [{ model: 'Org/Small', price: 1 }, { price: 2.5 }],
      warnings: [BELOW],
      below_cost: [{ slug: 'sold', unit: OUTPUT, upstream: 'gpu-1', meter: 'output' }],
    });
    expect((await send('GET', path)).body).toMatchObject({ version: '0' });
    expect((await send('PUT', `${path}?version=0&reason=Contract`, costs(1, 2))).body).toMatchObject({
      warnings: [],
    });
    expect(errorOf(await send('PUT', `${path}?version=0`, costs(1, 3)))).toEqual([
      409,
      expect.stringContaining('was published meanwhile'),
    ]);
    const { body } = await send('GET', path);
    const { version } = body as { version: string };
    const changed = await send('PUT', `${path}?version=${version}`, costs(1, 3));
    expect(changed.body).toMatchObject({
      changed: [{ model: 'Org/Small', unit: OUTPUT, price: 3, previous_price: 2 }],
      removed: [],
      warnings: [BELOW],
    });
    const history = await send('GET', `${path}/history?limit=1`);
    const first = history.body as { lists: object[]; next_cursor: string };
    expect(first.lists).toMatchObject([{ reason: null, published_by: admin.accountId }]);
    expect((await send('GET', `${path}/history?cursor=${first.next_cursor}`)).body).toMatchObject({
      lists: [{ id: version, reason: 'Contract', cost_prices: [{ price: 1 }, { price: 2 }] }],
      next_cursor: null,
    });
    const { rows } = await site.database.pool.query(
      `SELECT details FROM accounts.security_events WHERE type = 'admin.prices_published' AND details ->> 'list' = 'cost' ORDER BY created_at`,
    );
    expect(rows.map(({ details }) => details as object)).toMatchObject([
      { upstream: 'gpu-1', rows: 2, reason: 'Contract' },
      { upstream: 'gpu-1', rows: 2 },
    ]);
    // The price of the model itself warns, too, until the upstream is off.
    const price = { models: [{ slug: 'sold', unit: OUTPUT, price: 2.9 }] };
    const patch = () => send('PATCH', '/api/admin/billing/pricing/models?dry_run=true', price);
    expect((await patch()).body).toMatchObject({ warnings: [BELOW] });
    await send('PATCH', `${UPSTREAMS}/${id}`, { state: 'off' });
    expect((await patch()).body).toMatchObject({ warnings: [] });
  });

  it.each([
    [
      { cost_prices: [{ model: 'a', unit: 'per_million_cached_input_tokens', price: 1 }] },
      'cost_prices.0.unit: a is priced',
    ],
    [{ cost_prices: [{ model: 'a', unit: INPUT, price: -1 }] }, 'cost_prices.0.price: must not be negative'],
    [
      { cost_prices: [{ model: 'a', unit: INPUT, price: 1, currency: 'CNY' }] },
      'cost_prices.0.currency: this site',
    ],
    [{ cost_prices: [INPUT, INPUT].map((unit) => ({ model: 'a', unit, price: 1 })) }, 'more than one price'],
  ])('refuses %j', async (fields, message) => {
    const { id } = await create();
    expect(errorOf(await send('PUT', pathOf(id), fields))).toEqual([400, expect.stringContaining(message)]);
    expect(errorOf(await send('PUT', pathOf('up_0Vc3kZ8dQ1mXw7RtYb2LsA'), { cost_prices: [] }))).toEqual([
      404,
      'no such upstream',
    ]);
  });

  it('leaves a margin, told by day, model, upstream and account, on the dashboard, and to no customer', async () => {
    const REPORT = '/api/admin/reports/margin';
    const customer = await site.signedIn('user', 10n ** 15n);
    const event = (name: string, upstream_costs: object[] | undefined) => ({
      request_id: `req_0Vc3kZ8dQ1mXw7RtYb2Ls${name}`,
      lease_id: null,
      limited: false,
      started_at: new Date().toISOString(),
      account_id: customer.accountId,
      api_key_id: null,
      model: 'sold',
      entrypoint: 'gateway',
      endpoint: 'chat/completions',
      upstream: 'secret-server',
      outcome: 'completed',
      input_tokens: 1,
      output_tokens: 1,
      estimated: false,
      price_list_id: '1',
      usd_per_unit: '1',
      cost_picos: '3000000000000',
      cost_usd_picos: '3000000000000',
      lines: [
        {
          unit: 'per_request',
          quantity: '1',
          tokens: '2',
          cost_picos: '3000000000000',
          cost_usd_picos: '3000000000000',
        },
      ],
      upstream_costs,
    });
    const cost = (upstream: string, served: boolean, picos: string) => ({
      upstream,
      list: '7',
      served,
      cost_picos: picos,
    });
    const batch = [
      event('1', [cost('secret-server', true, '1999999999999'), cost('other-server', false, '1')]),
      event('2', []),
      // A gateway of an earlier version.
      event('3', undefined),
    ];
    await site.database.pool.query("SELECT metering.settle('stl_margin', $1)", [JSON.stringify(batch)]);
    const figures = {
      calls: 3,
      calls_without_cost: 2,
      revenue: 9,
      revenue_without_cost: 6,
      cost: 2,
      margin: 1,
      margin_percent: 33.33,
    };
    const day = new Date().toISOString().slice(0, 10);
    const read = async (group: string) =>
      (await send('GET', `${REPORT}?group_by=${group}`)).body as { total: object; rows: object[] };
    expect(await read('day')).toMatchObject({
      currency: 'USD',
      total: figures,
      rows: [{ key: day, ...figures }],
    });
    expect((await read('model')).rows).toEqual([{ key: 'sold', ...figures }]);
    expect((await read('account')).rows).toEqual([{ key: customer.accountId, ...figures }]);
    expect((await read('upstream')).rows).toEqual([
      { key: 'secret-server', ...figures, cost: 1.999999999999, margin: 1.000000000001 },
      {
        ...{ key: 'other-server', calls: 0, calls_without_cost: 0, revenue: 0, revenue_without_cost: 0 },
        ...{ cost: 1e-12, margin: -1e-12, margin_percent: null },
      },
    ]);
    const csv = await site.console.request('GET', `${REPORT}?group_by=model`, {
      token: admin.token,
      headers: { Accept: 'text/csv' },
    });
    expect(csv.text).toContain('sold,3,2,9,6,2,1,33.33');
    expect(errorOf(await send('GET', `${REPORT}?from=2026-02-01&to=2026-02-01`))).toEqual([
      400,
      'to: must be after from',
    ]);
    expect((await send('GET', '/api/admin/dashboard')).body).toMatchObject({
      current: { revenue: 9 },
      margin: figures,
    });
    for (const path of [
      'billing/requests',
      'billing/requests/req_0Vc3kZ8dQ1mXw7RtYb2Ls1',
      'billing/usage',
      'billing/transactions',
      'pricing',
      'billing/settings',
    ]) {
      const { status, text } = await site.console.request('GET', `/api/${path}`, { token: customer.token });
      expect([path, status]).toEqual([path, 200]);
      for (const secret of ['secret-server', 'other-server', '1.99999', '1999999999999', 'upstream_costs'])
        expect(text).not.toContain(secret);
    }
    expect((await site.console.request('GET', REPORT, { token: customer.token })).status).toBe(403);
  });
});
