import { metricsOf, type TestAccount, valueOf, waitFor } from '@inference/testing';
import {
  costOf,
  type DatabaseProxy,
  type Gateway,
  RATES,
  startDatabaseProxy,
  startGateway,
  testEnvironment,
  TestSite,
} from '../../testing/gateway.fixture';

const LEASE_AMOUNT = '0.5';
const PICOS_PER_UNIT = 1e12;
/** The upstream says nothing for so long that the test has looked at the metrics before. */
const SLOW = 'sandbox-chat+first-delay=5000';
const QUICK = 'sandbox-chat';
const MAX_TOKENS = 10;

let site: TestSite;
let databaseProxy: DatabaseProxy;
let gateway: Gateway;
let account: TestAccount;

beforeAll(async () => {
  site = await TestSite.start({ [SLOW]: RATES, [QUICK]: RATES });
  databaseProxy = await startDatabaseProxy(site.database.urlFor('gateway'));
  const upstreams = [{ name: 'engine', base_url: `${site.engine.url}/v1` }];
  gateway = await startGateway({
    ...testEnvironment(databaseProxy.url, upstreams),
    LEASE_AMOUNT,
    SETTLEMENT_PATIENCE_SECONDS: '3',
  });
  account = await site.account();
});

afterAll(async () => {
  await gateway?.close();
  await databaseProxy?.close();
  await site?.stop();
});

const chat = (model: string, stream: boolean): Promise<Response> =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
    body: JSON.stringify({
      model,
      stream,
      max_tokens: MAX_TOKENS,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });

/** Polls the metrics until these series have these values; returns the text. */
const until = (expected: Record<string, number>): Promise<string> =>
  waitFor(async () => {
    const text = await metricsOf(gateway.app);
    return Object.entries(expected).every(([series, value]) => valueOf(text, series) === value) && text;
  });

it('shows open requests, and the money that is set aside for them', async () => {
  const answers = [chat(SLOW, true), chat(SLOW, true), chat(SLOW, false)];
  const text = await until({
    'gateway_open_requests{kind="stream"}': 2,
    'gateway_open_requests{kind="plain"}': 1,
    gateway_leases: 1,
    gateway_lease_holds: 3,
  });
  const held = valueOf(text, 'gateway_lease_money{state="held"}')!;
  const free = valueOf(text, 'gateway_lease_money{state="free"}')!;
  // At least the output of three requests, in units of the currency.
  expect(held).toBeGreaterThanOrEqual((3 * Number(costOf(RATES, 0, MAX_TOKENS))) / PICOS_PER_UNIT);
  expect(held).toBeLessThan(Number(LEASE_AMOUNT));
  expect(free).toBeGreaterThan(0);
  for (const answer of answers) await (await answer).text();
  await until({
    'gateway_open_requests{kind="stream"}': 0,
    'gateway_open_requests{kind="plain"}': 0,
    'gateway_lease_money{state="held"}': 0,
    gateway_lease_holds: 0,
    'gateway_usage_events_total{outcome="settled"}': 3,
  });
});

it('shows usage events that wait for settlement, and how their batches ended', async () => {
  const before = await metricsOf(gateway.app);
  const batches = 'gateway_settlement_batch_seconds_count{outcome="settled"}';
  const client = await site.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM wallet.leases WHERE account_id = $1 FOR UPDATE', [account.accountId]);
  await client.query('SELECT FROM wallet.leases WHERE account_id = $1 FOR UPDATE', [account.accountId]);
  const answer = chat(QUICK, false);
  const waiting = await until({ gateway_unsettled_events: 1 });
  expect(valueOf(waiting, 'gateway_oldest_unsettled_event_seconds')).toBeGreaterThan(0);
  expect(valueOf(waiting, batches)).toBe(valueOf(before, batches));
  await client.query('COMMIT');
  client.release();
  await (await answer).text();
  const after = await until({ gateway_unsettled_events: 0, gateway_oldest_unsettled_event_seconds: 0 });
  expect(valueOf(after, batches)).toBe(valueOf(before, batches)! + 1);
});

it('counts retries, and events of which it is not known whether they were settled', async () => {
  const answer = chat(SLOW, false);
  await until({ 'gateway_open_requests{kind="plain"}': 1 });
  databaseProxy.down();
  const { status } = await answer;
  const text = await metricsOf(gateway.app);
  databaseProxy.up();
  expect(status).toBe(503);
  expect(valueOf(text, 'gateway_usage_events_total{outcome="unknown"}')).toBe(1);
  expect(valueOf(text, 'gateway_settlement_batch_seconds_count{outcome="failed"}')).toBe(1);
  expect(valueOf(text, 'gateway_settlement_retries_total')).toBeGreaterThan(0);
  expect(valueOf(text, 'gateway_open_requests{kind="plain"}')).toBe(0);
});
