import { TestPool, waitFor } from '@inference/testing';
import { type Platform } from '../../deployment/site-runs';
import { consoleBody } from '../../site/console-client';

/** A customer that is suspended, and so is a key of it. */
const SUSPENDED = { email: 'suspended@example.com', password: 'a password of this test' };

/**
 * Gives the demo account and its staff what their pages show beyond the first start: calls that worked and that failed, a key
 * with limits, limits set by staff, a paid payment of which a part is refunded and that is disputed, an open one, a note, a suspended customer, a
 * second upstream, what the first one takes, and exported hours.
 */
export async function seedContent(platform: Platform): Promise<void> {
  const { urls, accounts } = platform;
  const signIn = (json: { identifier: string; password: string }) =>
    consoleBody<{ token: string; user: { id: string } }>(urls.console!, 'POST', '/api/auth/login', { json });
  const demo = await signIn({ identifier: accounts.demo.identifier, password: accounts.demo.password });
  const admin = await signIn({ identifier: accounts.admin.identifier, password: accounts.admin.password });
  await seedCosts(platform, admin.token);
  await seedCalls(platform, demo.token);
  await seedPayments(platform, { customer: demo.token, admin: admin.token });
  await seedAdministration(platform, { token: admin.token, customerId: demo.user.id });
  await seedExports(platform);
}

/** Before the calls, so that they have a margin. */
async function seedCosts({ urls }: Platform, token: string): Promise<void> {
  const { upstreams } = await consoleBody<{ upstreams: { id: string; models: { model: string }[] }[] }>(
    urls.console!,
    'GET',
    '/api/admin/upstreams',
    { token },
  );
  const costs = ['per_million_input_tokens', 'per_million_output_tokens'].map((unit, index) => ({
    ...{ model: 'sandbox-chat', unit, price: 0.1 * (index + 1) },
  }));
  await consoleBody(urls.console!, 'PUT', `/api/admin/upstreams/${upstreams[0]!.id}/cost-prices`, {
    token,
    json: { cost_prices: costs },
  });
  // Gateways read them every two seconds.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
}

async function seedCalls({ urls, accounts }: Platform, token: string): Promise<void> {
  const call = async (model: string, key: string) => {
    const response = await fetch(`${urls.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    return response.status;
  };
  const { key } = await consoleBody<{ key: string }>(urls.console!, 'POST', '/api/api-keys', {
    token,
    json: {
      name: 'batch jobs',
      description: 'Of the nightly report',
      tags: ['nightly-run', 'cost-reports'],
      rpm: 60,
      tpm: 90_000,
      max_concurrency: 4,
      spend_limit: 20,
      period: 'month',
      allowed_ips: ['127.0.0.0/8', '::1/128'],
      expires_at: new Date(Date.now() + 30 * 86_400_000).toISOString(),
    },
    status: 201,
  });
  const statuses = [
    await call('sandbox-chat', accounts.demo.apiKey),
    await call('sandbox-chat', key),
    await call('no-such-model', key),
  ];
  if (statuses.join() !== '200,200,404') throw new Error(`The calls answered ${statuses.join(', ')}.`);
}

async function seedPayments(
  { site, urls, sandbox, database }: Platform,
  { customer, admin }: { customer: string; admin: string },
): Promise<void> {
  const json = { provider: site === 'cn' ? 'wallet_pay_provider' : 'card_provider', amount: 50 };
  const pay = () =>
    consoleBody<{ id: string }>(urls.console!, 'POST', '/api/billing/payments', {
      token: customer,
      json,
      status: 201,
    });
  const { id } = await pay();
  await fetch(`${sandbox.payments}/orders/${id}/pay`, { method: 'POST' });
  await waitFor(async () => {
    const path = `/api/billing/payments/${id}`;
    const { status } = await consoleBody<{ status: string }>(urls.console!, 'GET', path, { token: customer });
    return status === 'paid';
  });
  await consoleBody(urls.console!, 'POST', `/api/admin/billing/payments/${id}/refund`, {
    token: admin,
    json: { amount: 5 },
    status: 201,
  });
  await pay();
  // The sandbox knows no disputes.
  const pool = TestPool.of({ url: database.url, applicationName: 'test', size: 1 });
  await pool.query(
    `INSERT INTO billing.provider_events
       (id, provider, event_id, type, kind, payment_id, amount_minor, currency, status, reason, content)
     SELECT 'pevt_' || id, provider, 'evt_' || id, 'charge.dispute.created', 'dispute', id, 4500, currency,
       'needs_response', 'product_not_received', '{}'
     FROM billing.payments WHERE id = $1`,
    [id],
  );
  await pool.end();
}

async function seedAdministration(
  { urls }: Platform,
  { token, customerId }: { token: string; customerId: string },
): Promise<void> {
  const post = <Body>(path: string, json: object, status: number, by = token) =>
    consoleBody<Body>(urls.console!, 'POST', path, { token: by, json, status });
  await post(`/api/admin/accounts/${customerId}/notes`, { text: 'Pays by invoice, see ticket 4711.' }, 201);
  await consoleBody(urls.console!, 'PUT', `/api/admin/accounts/${customerId}/limits`, {
    token,
    json: {
      ...{ model: 'sandbox-chat', rpm: 3_000, tpm: 2_000_000, tpd: 500_000_000, max_concurrency: 100 },
      reason: 'Load test before the launch, see ticket 4712',
      ends_at: new Date(Date.now() + 7 * 86_400_000).toISOString(),
    },
  });
  const { token: theirs, user } = await consoleBody<{ token: string; user: { id: string } }>(
    urls.console!,
    'POST',
    '/api/auth/register',
    { json: SUSPENDED, status: 201 },
  );
  const { id: keyId } = await post<{ id: string }>('/api/api-keys', { name: 'leaked' }, 201, theirs);
  const account = `/api/admin/accounts/${user.id}`;
  await post(`${account}/keys/${keyId}/suspend`, { reason: 'Found in a public repository' }, 200);
  await post(`${account}/suspend`, { reason: 'Stolen cards', message: 'Please write to support.' }, 200);
  await post(
    '/api/admin/upstreams',
    {
      name: 'second',
      base_url: 'http://127.0.0.1:9/v1',
      region: 'eu-west',
      state: 'off',
      models: [{ model: 'sandbox-chat', weight: 10, priority: 0 }],
    },
    201,
  );
  await post(
    '/api/admin/inference/models',
    { slug: 'sandbox-mini', context_tokens: 8192, aliases: ['sandbox-small'], fallbacks: ['sandbox-chat'] },
    201,
  );
}

const files = (bytes: number) => ({ files: [{ name: 'of-no-storage', rows: 1, bytes, sha256: '' }] });
const MANIFEST = JSON.stringify({
  datasets: { usage: files(40_960), usage_lines: files(49_152), ledger: files(8_192) },
});

const INSERT = `
  INSERT INTO billing.exported_hours
    (hour, claim, due_at, error, exported_at, manifest, usage_rows, usage_line_rows, ledger_rows, bytes, cost_picos, ledger_picos)
  SELECT $1::timestamptz - hours * interval '1 hour', '', now() + interval '1 year', error, exported_at, manifest, 1204, 2408, 310, 98304, 12500000000000, 87500000000000
  FROM (VALUES
    (0, NULL, NULL::timestamptz, NULL),
    (1, NULL, now(), $2),
    (2, 'storage unavailable', NULL, NULL),
    (3, 'The hour differs from the books. cost of usage: 2 exported, 1 in the books', NULL, NULL)
  ) hours (hours, error, exported_at, manifest)`;

/** An hour that is being exported, and before it one that is exported and two that have failed. Nothing takes them up. */
export async function insertExportedHours(pool: TestPool, newest: string): Promise<void> {
  await pool.query(INSERT, [newest, MANIFEST]);
}

async function seedExports({ database }: Platform): Promise<void> {
  const pool = TestPool.of({ url: database.url, applicationName: 'test', size: 1 });
  await insertExportedHours(pool, '2026-01-31T09:00:00Z');
  await pool.end();
}
