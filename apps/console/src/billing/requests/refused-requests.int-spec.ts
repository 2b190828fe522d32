import { newId } from '@inference/database';
import { insertAccount, publishPrices } from '@inference/testing';
import { TestSite } from '../../testing/console.fixture';

let site: TestSite;

beforeAll(async () => {
  site = await TestSite.start();
});
afterAll(() => site.stop());

it('a call that could not be billed is found by its id, free, by its account only', async () => {
  const { pool } = site.database;
  const { accountId, apiKeyId } = await insertAccount(pool, { balancePicos: 10n ** 12n });
  const priceListId = await publishPrices(pool, [{ slug: 'chat', unit: 'per_request', ratePicos: 5n }]);
  const requestId = newId('req');
  const event = {
    request_id: requestId,
    lease_id: null,
    limited: false,
    client_request_id: 'job-4711',
    started_at: new Date().toISOString(),
    account_id: accountId,
    api_key_id: apiKeyId,
    model: 'chat',
    entrypoint: 'gateway',
    endpoint: 'chat/completions',
    upstream: 'u',
    outcome: 'completed',
    input_tokens: 7,
    output_tokens: 3,
    estimated: false,
    price_list_id: String(priceListId),
    usd_per_unit: '1.0000000000',
    cost_picos: '5',
    cost_usd_picos: '5',
    lines: [],
  };
  await pool.query('SELECT metering.refuse_settlement($1, $2)', [newId('stl'), JSON.stringify([event])]);
  const token = await site.console.openSession(accountId);
  const path = `/api/billing/requests/${requestId}`;
  expect(await site.console.request('GET', path, { token })).toMatchObject({
    status: 200,
    body: {
      id: requestId,
      client_request_id: 'job-4711',
      outcome: 'failed',
      status: 'failed',
      http_status: 503,
      error_code: 'billing_unavailable',
      model: 'chat',
      input_tokens: 7,
      output_tokens: 3,
      cost: 0,
      cost_usd: 0,
      usd_per_unit: 1,
      lines: [],
      api_key: { id: apiKeyId },
      price_list: { id: String(priceListId) },
    },
  });
  const stranger = await site.signedIn();
  expect((await site.console.request('GET', path, { token: stranger.token })).status).toBe(404);
});
