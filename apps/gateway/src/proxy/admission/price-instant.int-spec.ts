import { type TestAccount, waitFor } from '@inference/testing';
import { RATES, TestSite } from '../../testing/gateway.fixture';

let site: TestSite;

beforeAll(async () => {
  site = await TestSite.start({ 'sandbox-chat': RATES });
});
afterAll(() => site.stop());

const chat = async ({ apiKey }: TestAccount) => {
  const body = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 4 };
  expect((await site.post('/v1/chat/completions', apiKey, body)).status).toBe(200);
};

it('charges no call at a list that came into force after its beginning', async () => {
  const of = await site.account();
  await chat(of);
  // Longer than the gateway trusts the prices that it has read.
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  const client = await site.pool.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE pricing.model_prices IN ACCESS EXCLUSIVE MODE');
  const begun = chat(of);
  await waitFor(async () => {
    const { rows } = await site.pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%model_prices%'",
    );
    return rows.length > 0;
  });
  await client.query(
    `WITH list AS (INSERT INTO pricing.price_lists (kind, effective_from) VALUES ('models', clock_timestamp()) RETURNING id)
     INSERT INTO pricing.model_prices (price_list_id, position, slug, unit, rate_picos)
     SELECT list.id, p.position, p.slug, p.unit, p.rate_picos FROM list, pricing.model_prices p
     WHERE p.price_list_id = (SELECT max(price_list_id) FROM pricing.model_prices)`,
  );
  await client.query('COMMIT');
  client.release();
  await begun;
  const { rows } = await site.pool.query<{ early: boolean; lists: bigint }>(
    `SELECT bool_or(e.started_at < l.effective_from) AS early, count(DISTINCT l.id) AS lists
     FROM metering.usage_events e JOIN pricing.price_lists l ON l.id = e.price_list_id WHERE e.account_id = $1`,
    [of.accountId],
  );
  expect(rows).toEqual([{ early: false, lists: 2n }]);
});
