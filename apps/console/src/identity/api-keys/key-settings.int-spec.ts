import { type UnitRate } from '@inference/metering';
import { publishPrices, waitFor } from '@inference/testing';
import { settleRequest, type SignedIn, TestSite } from '../../testing/console.fixture';
import { type ApiKeyResponse, type CreatedApiKeyResponse } from './api-keys.dto';
import { ExpiringKeysJob } from './expiring-keys.job';

const DAY_MILLIS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MILLIS).toISOString();

describe('what an owner says of an API key', () => {
  let site: TestSite;
  let owner: SignedIn;
  const create = async (json: object) => {
    const answer = await site.console.request('POST', '/api/api-keys', { token: owner.token, json });
    return answer.body as CreatedApiKeyResponse;
  };
  const change = (id: string, json: object) =>
    site.console.request('PATCH', `/api/api-keys/${id}`, { token: owner.token, json });
  const listed = async (id: string) => {
    const { body } = await site.console.request('GET', '/api/api-keys', { token: owner.token });
    return (body as { api_keys: ApiKeyResponse[] }).api_keys.find((key) => key.id === id)!;
  };
  /** The status and the error of a download: the one call of the console that takes API keys. */
  const use = async (key: string, headers: Record<string, string> = {}) => {
    const { status, body } = await site.console.request('GET', '/api/models/none/download', {
      token: key,
      headers,
    });
    return [status, (body as { error: string }).error];
  };
  const WORKS = [404, 'no such model'];
  const events = async () => {
    const { body } = await site.console.request('GET', '/api/auth/events', { token: owner.token });
    return (body as { events: { type: string; details: object }[] }).events;
  };
  const mails = async () => {
    const { rows } = await site.database.pool.query<{ kind: string; params: Record<string, unknown> }>(
      "SELECT kind, params FROM accounts.mail_outbox WHERE account_id = $1 AND kind LIKE 'api_key%' ORDER BY created_at",
      [owner.accountId],
    );
    return rows;
  };

  beforeAll(async () => (site = await TestSite.start({ TRUST_PROXY: 'loopback' })));
  beforeEach(async () => (owner = await site.signedIn('user', 10n ** 15n)));
  afterAll(() => site.stop());

  it('is stored, shown, changed and recorded', async () => {
    const settings = {
      description: 'Notes',
      tags: ['a', 'b'],
      expires_at: '2190-01-01T00:00:00.000Z',
      allowed_ips: ['203.0.113.0/24', '2001:db8::1'],
      allowed_models: ['vendor/*', 'one'],
      spend_limit: 5,
      period: 'month',
      rpm: 60,
      tpm: 1_000,
      max_concurrency: 2,
    };
    const { id } = await create({ name: 'all', ...settings });
    expect(await listed(id)).toMatchObject({ ...settings, status: 'active', disabled: false, unused: false });
    const changes = {
      description: '',
      tags: [],
      expires_at: null,
      allowed_ips: null,
      allowed_models: ['*'],
      period: 'day',
      rpm: null,
      tpm: 7,
      max_concurrency: null,
    };
    const answer = await change(id, changes);
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining(changes)]);
    const [event] = await events();
    expect(event).toMatchObject({
      type: 'api_key.changed',
      details: {
        api_key_id: id,
        tags: '',
        expires_at: null,
        allowed_ips: null,
        period: 'day',
        rpm: null,
        tpm: 7,
      },
    });
    expect((await change(id, changes)).status).toBe(200);
    expect((await events())[0]).toEqual(event);
  });

  it.each([
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at: must be in the future'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ allowed_ips: [] }, 'allowed_ips'],
    [{ allowed_ips: ['203.0.113.0/33'] }, 'allowed_ips'],
    [{ allowed_ips: ['example.com'] }, 'allowed_ips'],
    [{ allowed_models: ['a*b'] }, 'allowed_models'],
    [{ period: 'year' }, 'period: must be one of total, day, week, month'],
    [{ rpm: 0 }, 'rpm: must be a whole number from 1'],
    [{ tpm: 1.5 }, 'tpm'],
    [{ max_concurrency: '1' }, 'max_concurrency'],
    [{ tags: [' a'] }, 'tags'],
    [{ tags: ['a'.repeat(51)] }, 'tags'],
    [{ tags: ['a\u202eb'] }, 'tags'],
    [{ tags: ['a', 'b\u200b'] }, 'tags'],
    [{ tags: ['a\nb'] }, 'tags'],
    [{ description: 'a'.repeat(501) }, 'description'],
    [{ disabled: null }, 'disabled'],
  ])('is refused for %j', async (json, message) => {
    const answer = await change(owner.apiKeyId, json);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(message) }]);
  });

  it('takes the end that an expired key has already', async () => {
    const key = await create({ name: 'ended', expires_at: inDays(1) });
    const ended = new Date(Date.now() - 1_000).toISOString();
    await site.database.pool.query('UPDATE accounts.api_keys SET expires_at = $2 WHERE id = $1', [
      key.id,
      ended,
    ]);
    const answer = await change(key.id, { name: 'archived', expires_at: ended });
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ name: 'archived', status: 'expired', expires_at: ended }),
    ]);
  });

  it('disables and enables it within a second', async () => {
    const { id, key } = await create({ name: 'switched' });
    expect(await use(key)).toEqual(WORKS);
    expect((await change(id, { disabled: true })).body).toMatchObject({ status: 'disabled', disabled: true });
    await waitFor(async () => (await use(key))[0] === 401, 1_000);
    expect(await use(key)).toEqual([401, 'this API key is disabled']);
    await change(id, { disabled: false });
    await waitFor(async () => (await use(key))[0] === 404, 1_000);
  });

  it('ends it at its time, also while it is cached', async () => {
    const { id, key } = await create({
      name: 'short',
      expires_at: new Date(Date.now() + 1_500).toISOString(),
    });
    expect(await use(key)).toEqual(WORKS);
    await waitFor(async () => (await use(key))[0] === 401, 3_000);
    expect(await use(key)).toEqual([401, 'this API key has expired']);
    expect((await listed(id)).status).toBe('expired');
    await change(id, { expires_at: null });
    await waitFor(async () => (await use(key))[0] === 404, 1_000);
  });

  it('binds it to addresses, as trusted proxies tell them', async () => {
    const { id, key } = await create({ name: 'bound', allowed_ips: ['203.0.113.0/24', '2001:db8::/32'] });
    const from = (address: string) => use(key, { 'X-Forwarded-For': address });
    const refused = [403, 'this API key must not be used from this address'];
    expect(await use(key)).toEqual(refused);
    expect(await from('203.0.113.9')).toEqual(WORKS);
    expect(await from('::ffff:203.0.113.9')).toEqual(WORKS);
    expect(await from('2001:db8::5')).toEqual(WORKS);
    expect(await from('198.51.100.1')).toEqual(refused);
    await change(id, { allowed_ips: null });
    await waitFor(async () => (await use(key))[0] === 404, 1_000);
  });

  it('gives it a new secret, and keeps the former one for a time', async () => {
    const { id, key } = await create({ name: 'rolled' });
    const rotate = (json: object) =>
      site.console.request('POST', `/api/api-keys/${id}/rotate`, { token: owner.token, json });
    const first = (await rotate({ overlap_seconds: 2 })).body as CreatedApiKeyResponse;
    expect(first).toMatchObject({ id, name: 'rolled', former_secret_ends_at: expect.stringMatching(/Z$/) });
    expect(first.key).not.toBe(key);
    expect(first.key.startsWith(first.prefix)).toBe(true);
    expect([await use(key), await use(first.key)]).toEqual([WORKS, WORKS]);
    await waitFor(async () => (await use(key))[0] === 401, 4_000);
    expect(await use(first.key)).toEqual(WORKS);
    const second = (await rotate({})).body as CreatedApiKeyResponse;
    expect(second.former_secret_ends_at).toBeNull();
    await waitFor(async () => (await use(first.key))[0] === 401, 1_000);
    expect(await use(second.key)).toEqual(WORKS);
    expect((await events()).map(({ type }) => type).slice(0, 2)).toEqual([
      'api_key.rotated',
      'api_key.rotated',
    ]);
    expect(await mails()).toMatchObject([
      {
        kind: 'api_key_rotated',
        params: { rotated: { name: 'rolled', formerEndsAt: first.former_secret_ends_at } },
      },
      { kind: 'api_key_rotated', params: { rotated: { name: 'rolled', formerEndsAt: null } } },
    ]);
    expect((await rotate({ overlap_seconds: 7 * 86_400 + 1 })).status).toBe(400);
    await site.console.request('DELETE', `/api/api-keys/${id}`, { token: owner.token });
    await waitFor(async () => (await use(second.key))[0] === 401, 1_000);
    expect((await rotate({})).status).toBe(404);
  });

  it('is told to its owner seven days and one day before it ends, once each', async () => {
    const { id } = await create({ name: 'ending', expires_at: inDays(30) });
    await create({ name: 'near', expires_at: inDays(3) });
    const job = site.console.app.get(ExpiringKeysJob);
    const nearer = (days: number) =>
      site.database.pool.query('UPDATE accounts.api_keys SET expires_at = $2 WHERE id = $1', [
        id,
        inDays(days),
      ]);
    await job.run();
    expect(await mails()).toEqual([]);
    for (const days of [6.9, 0.9]) {
      await nearer(days);
      await Promise.all([job.run(), job.run()]);
    }
    expect((await mails()).map(({ kind, params }) => [kind, params.name])).toEqual([
      ['api_key_expiring', 'ending'],
      ['api_key_expiring', 'ending'],
    ]);
    await change(id, { expires_at: inDays(30) });
    await nearer(6);
    await job.run();
    expect(await mails()).toHaveLength(3);
  });

  it('shows that nobody has used it for 90 days', async () => {
    const { id } = await create({ name: 'old' });
    const age = (column: string, days: number) =>
      site.database.pool.query(
        `UPDATE accounts.api_keys SET ${column} = now() - make_interval(days => $2) WHERE id = $1`,
        [id, days],
      );
    await age('created_at', 91);
    expect((await listed(id)).unused).toBe(true);
    await age('last_used_at', 89);
    expect((await listed(id)).unused).toBe(false);
    await age('last_used_at', 91);
    expect((await listed(id)).unused).toBe(true);
  });

  it('limits what it spends in a period of the account’s zone', async () => {
    const rates: UnitRate[] = [{ unit: 'per_million_tokens', ratePicos: 1_000_000n }];
    const priceListId = await publishPrices(
      site.database.pool,
      rates.map((rate) => ({ slug: 'chat', ...rate })),
    );
    const zoned = await site.console.request('PATCH', '/api/auth/me', {
      token: owner.token,
      json: { time_zone: 'asia/kolkata' },
    });
    expect(zoned.body).toMatchObject({ time_zone: 'Asia/Kolkata' });
    const { id } = await create({ name: 'daily', spend_limit: 1, period: 'day' });
    const spend = () =>
      settleRequest(site.database.pool, owner.accountId, {
        ...{ model: 'chat', rates, priceListId, apiKeyId: id },
        usage: { inputTokens: 2, outputTokens: 0 },
      });
    await spend();
    const shown = await listed(id);
    expect(shown).toMatchObject({ spent: 0.000002, spent_in_period: 0.000002 });
    // 18:30 UTC is midnight in Kolkata.
    expect(shown.period_ends_at).toMatch(/T18:30:00.000Z$/);
    await site.database.pool.query(
      'UPDATE wallet.key_budgets SET period_starts_on = period_starts_on - 1 WHERE api_key_id = $1',
      [id],
    );
    expect(await listed(id)).toMatchObject({ spent: 0.000002, spent_in_period: 0 });
    await spend();
    expect(await listed(id)).toMatchObject({ spent: 0.000004, spent_in_period: 0.000002 });
    await change(id, { period: 'total' });
    expect(await listed(id)).toMatchObject({ spent_in_period: 0.000004, period_ends_at: null });
    // What was spent in the month already counts.
    await change(id, { period: 'month' });
    expect(await listed(id)).toMatchObject({ spent_in_period: 0.000004 });
    const unknown = await site.console.request('PATCH', '/api/auth/me', {
      token: owner.token,
      json: { time_zone: 'Mars/Base' },
    });
    expect(unknown.status).toBe(400);
  });
});
