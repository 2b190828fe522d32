import { type UnitRate } from '@inference/metering';
import { insertApiKey, publishPrices } from '@inference/testing';
import { settleRequest, type SignedIn, TestSite } from '../../testing/console.fixture';

const RATES: UnitRate[] = [{ unit: 'per_million_tokens', ratePicos: 1_000_001n }];
const BALANCE_PICOS = 10n ** 15n;

describe('changes of an API key', () => {
  let site: TestSite;
  let owner: SignedIn;
  let keyId: string;
  const change = (json: unknown, { token } = owner, id = keyId) =>
    site.console.request('PATCH', `/api/api-keys/${id}`, { token, json });
  const changeRaw = (raw: string) =>
    site.console.request('PATCH', `/api/api-keys/${keyId}`, { token: owner.token, raw });
  const listText = async () =>
    (await site.console.request('GET', '/api/api-keys', { token: owner.token })).text;
  const events = async () => {
    const { body } = await site.console.request('GET', '/api/auth/events', { token: owner.token });
    return (body as { events: { type: string; details: object }[] }).events.filter(
      ({ type }) => type === 'api_key.changed',
    );
  };
  const budget = async () => {
    const { rows } = await site.database.pool.query<{ limit_picos: bigint | null; changed: boolean }>(
      'SELECT limit_picos, limit_changed_at IS NOT NULL AS changed FROM wallet.key_budgets WHERE api_key_id = $1',
      [keyId],
    );
    return rows[0]!;
  };

  beforeAll(async () => (site = await TestSite.start()));
  beforeEach(async () => {
    owner = await site.signedIn('user', BALANCE_PICOS);
    keyId = owner.apiKeyId;
  });
  afterAll(() => site.stop());

  it('rename it, and are recorded', async () => {
    const answer = await change({ name: ' laptop ' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: keyId, name: 'laptop', spend_limit: null, allowed_models: null });
    expect(`{"api_keys":[${answer.text}]}`).toBe(await listText());
    expect(await budget()).toEqual({ limit_picos: null, changed: false });
    expect((await events()).map(({ details }) => details)).toEqual([{ api_key_id: keyId, name: 'laptop' }]);
  });

  it('set, change and remove its limits', async () => {
    const set = await changeRaw('{"spend_limit": "1234567.123456789012", "allowed_models": ["b", "a", "b"]}');
    expect(set.text).toContain(
      '"spend_limit":1234567.123456789012,"period":"total","allowed_models":["b","a"],',
    );
    expect(await budget()).toEqual({ limit_picos: 1_234_567_123_456_789_012n, changed: true });
    const { rows } = await site.database.pool.query<{ spend_limit_picos: bigint }>(
      'SELECT spend_limit_picos FROM accounts.api_keys WHERE id = $1',
      [keyId],
    );
    expect(rows[0]!.spend_limit_picos).toBe(1_234_567_123_456_789_012n);
    expect((await change({ spend_limit: 0.5 })).body).toMatchObject({
      name: 'test',
      spend_limit: 0.5,
      allowed_models: ['b', 'a'],
    });
    expect((await change({ spend_limit: null, allowed_models: null })).body).toMatchObject({
      spend_limit: null,
      allowed_models: null,
    });
    expect((await budget()).limit_picos).toBeNull();
    expect((await events()).map(({ details }) => details)).toEqual([
      { api_key_id: keyId, spend_limit: null, allowed_models: null },
      { api_key_id: keyId, spend_limit: '0.5' },
      { api_key_id: keyId, spend_limit: '1234567.123456789012', allowed_models: 'b a' },
    ]);
  });

  it('keep the price out of its answers and put it back in, and are recorded', async () => {
    expect((await change({ reports_cost: false })).body).toMatchObject({ id: keyId, reports_cost: false });
    expect((await change({ name: 'strict' })).body).toMatchObject({ reports_cost: false });
    expect(await listText()).toContain('"reports_cost":false');
    expect((await change({ reports_cost: true })).body).toMatchObject({ reports_cost: true });
    expect((await events()).map(({ details }) => details)).toEqual([
      { api_key_id: keyId, reports_cost: true },
      { api_key_id: keyId, name: 'strict' },
      { api_key_id: keyId, reports_cost: false },
    ]);
  });

  it('that change nothing are answered and not recorded', async () => {
    for (const json of [
      {},
      { name: 'test' },
      { spend_limit: null, allowed_models: null },
      { reports_cost: true },
    ])
      expect((await change(json)).body).toMatchObject({ id: keyId, name: 'test' });
    expect(await events()).toEqual([]);
  });

  it('do not change its secret, and notify every service', async () => {
    const client = await site.database.pool.connect();
    const notified: string[] = [];
    client.on('notification', ({ channel, payload }) => notified.push(`${channel} ${payload}`));
    await client.query('LISTEN credentials; LISTEN lease_recall');
    const hash = async () =>
      (await site.database.pool.query('SELECT key_hash FROM accounts.api_keys WHERE id = $1', [keyId]))
        .rows[0];
    const before = await hash();
    await change({ spend_limit: 1 });
    await client.query('SELECT 1');
    expect(notified.sort()).toEqual([`credentials api_key:${keyId}`, `lease_recall ${owner.accountId}`]);
    await change({ allowed_models: ['a'] });
    await change({ reports_cost: false });
    await client.query('SELECT 1');
    expect(notified).toHaveLength(4);
    expect(await hash()).toEqual(before);
    await client.query('UNLISTEN *');
    client.release();
  });

  it('of a key of another account are 404, even for an admin', async () => {
    const admin = await site.signedIn('admin');
    const answer = await change({ name: 'stolen', spend_limit: 1 }, admin);
    expect([answer.status, answer.body]).toEqual([404, { error: 'no such API key' }]);
    expect(await listText()).toContain('"name":"test"');
  });

  it('of an unknown or a deleted key are 404', async () => {
    await site.console.request('DELETE', `/api/api-keys/${keyId}`, { token: owner.token });
    for (const id of [keyId, 'key_unknown', 'x', '%00'])
      expect((await change({ name: 'a' }, owner, id)).status).toBe(404);
  });

  it('need a session', async () => {
    const answer = await site.console.request('PATCH', `/api/api-keys/${keyId}`, {
      token: owner.apiKey,
      json: {},
    });
    expect(answer.status).toBe(401);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ spend_limit: 0 }, 'spend_limit'],
    [{ spend_limit: -1 }, 'spend_limit'],
    [{ spend_limit: 1e-13 }, 'spend_limit'],
    [{ allowed_models: [] }, 'allowed_models'],
    [{ allowed_models: ['a b'] }, 'allowed_models'],
    [{ key: 'bfvk-mine' }, 'key'],
  ])('are refused for %j', async (body, field) => {
    const answer = await change(body);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
  });

  it('at the same time as others of the account never lock each other out', async () => {
    const { token } = owner;
    const send = (method: string, path: string, json?: object) =>
      site.console.request(method, path, { token, json });
    const rotated = () => send('POST', `/api/api-keys/${keyId}/rotate`, { overlap_seconds: 60 });
    const remade = async () => {
      const { body } = await send('POST', '/api/api-keys', { name: 'other', spend_limit: 1 });
      return send('DELETE', `/api/api-keys/${(body as { id: string }).id}`);
    };
    const statuses = new Set<number>();
    for (let round = 1; round <= 10; round++) {
      const answers = await Promise.all([
        rotated(),
        change({ spend_limit: round, period: 'month' }),
        send('PATCH', '/api/auth/me', { time_zone: round % 2 ? 'Asia/Tokyo' : 'America/Lima' }),
        rotated(),
        change({ spend_limit: null, period: 'total' }),
        remade(),
        change({ name: `laptop ${round}` }),
      ]);
      answers.forEach(({ status }) => statuses.add(status));
    }
    expect([...statuses].sort()).toEqual([200, 204]);
  });

  it('show what it has spent, in all and in 30 days', async () => {
    const priceListId = await publishPrices(
      site.database.pool,
      RATES.map((rate) => ({ slug: 'chat', ...rate })),
    );
    const other = (await insertApiKey(site.database.pool, owner.accountId)).apiKeyId;
    const request = { model: 'chat', rates: RATES, usage: { inputTokens: 7, outputTokens: 2 }, priceListId };
    await settleRequest(site.database.pool, owner.accountId, { ...request, apiKeyId: keyId });
    await settleRequest(site.database.pool, owner.accountId, {
      ...request,
      apiKeyId: keyId,
      entrypoint: 'agent',
    });
    await settleRequest(site.database.pool, owner.accountId, request);
    // Older usage counts for the limit only.
    await site.database.pool.query(
      'CREATE TABLE metering.usage_events_earlier PARTITION OF metering.usage_events DEFAULT',
    );
    await site.database.pool.query(
      `UPDATE metering.usage_events SET occurred_at = occurred_at - interval '31 days'
       WHERE api_key_id = $1 AND entrypoint = 'agent'`,
      [keyId],
    );
    await site.database.pool.query(
      "UPDATE metering.hourly_rollup SET hour = hour - interval '31 days' WHERE api_key_id = $1 AND entrypoint = 'agent'",
      [keyId],
    );
    const text = await listText();
    const shown = (id: string) =>
      new RegExp(`"id":"${id}","kind".*?"spent":([^,]*),.*?"spent_30_days":([^}]*)}`).exec(text);
    expect(shown(keyId)!.slice(1)).toEqual(['0.000018000018', '0.000009000009']);
    expect(shown(other)!.slice(1)).toEqual(['0', '0']);
  });
});
