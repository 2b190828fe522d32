import { isApiKey } from '@inference/guards';
import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { type CreatedApiKeyResponse } from './api-keys.dto';
import { MAX_API_KEYS } from './api-keys.service';

/** What is shown of a key of which only the name was said. */
const UNLIMITED = {
  kind: 'api',
  rotated_at: null,
  rotated_by: null,
  description: '',
  tags: [],
  status: 'active',
  disabled: false,
  expires_at: null,
  former_secret_ends_at: null,
  allowed_ips: null,
  rpm: null,
  tpm: null,
  max_concurrency: null,
  spend_limit: null,
  period: 'total',
  allowed_models: null,
  reports_cost: true,
};

describe('API keys', () => {
  let site: TestSite;
  let owner: SignedIn;
  const create = (json: unknown, { token } = owner) =>
    site.console.request('POST', '/api/api-keys', { token, json });
  const created = async (json: unknown) => (await create(json)).body as CreatedApiKeyResponse;
  const list = async ({ token } = owner) => {
    const answer = await site.console.request('GET', '/api/api-keys', { token });
    return (answer.body as { api_keys: { id: string; name: string }[] }).api_keys;
  };
  const remove = (id: string, { token } = owner) =>
    site.console.request('DELETE', `/api/api-keys/${id}`, { token });

  beforeAll(async () => (site = await TestSite.start()));
  beforeEach(async () => (owner = await site.signedIn()));
  afterAll(() => site.stop());

  it('are shown in full only when they are created', async () => {
    const answer = await create({ name: ' laptop ' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { key, id, prefix, created_at } = answer.body as CreatedApiKeyResponse;
    expect(answer.body).toEqual({
      id,
      name: 'laptop',
      key,
      prefix,
      created_at,
      created_by: { kind: 'person', id: owner.accountId, name: null },
      ...UNLIMITED,
    });
    expect(isApiKey(key)).toBe(true);
    expect(key.startsWith(prefix)).toBe(true);
    const listed = await site.console.request('GET', '/api/api-keys', { token: owner.token });
    expect(listed.text).not.toContain(key);
    expect((await list())[0]).toEqual({
      id,
      name: 'laptop',
      prefix,
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
      created_by: { kind: 'person', id: owner.accountId, name: null },
      ...UNLIMITED,
      unused: false,
      spent: 0,
      spent_in_period: 0,
      period_ends_at: null,
      spent_30_days: 0,
      suspension: null,
    });
  });

  it('are stored as a keyed hash only', async () => {
    const { id, key } = await created({ name: 'a' });
    const { rows } = await site.database.pool.query('SELECT k::text FROM accounts.api_keys k WHERE id = $1', [
      id,
    ]);
    expect(JSON.stringify(rows)).not.toContain(key.slice(12));
  });

  it.each([
    ['0.000000000001', '0.000000000001', 1n],
    ['25', '25', 25_000_000_000_000n],
    ['1e-7', '0.0000001', 100_000n],
    ['"123456789.123456789012"', '123456789.123456789012', 123_456_789_123_456_789_012n],
  ])('keep a spending limit of %s to the last digit', async (sent, shown, picos) => {
    const answer = await site.console.request('POST', '/api/api-keys', {
      token: owner.token,
      raw: `{"name": "limited", "spend_limit": ${sent}}`,
    });
    expect(answer.status).toBe(201);
    expect(answer.text).toContain(`"spend_limit":${shown},`);
    const { rows } = await site.database.pool.query(
      'SELECT account_id, limit_picos, spent_picos FROM wallet.key_budgets WHERE api_key_id = $1',
      [(answer.body as CreatedApiKeyResponse).id],
    );
    expect(rows).toEqual([{ account_id: owner.accountId, limit_picos: picos, spent_picos: 0n }]);
  });

  it('have a list of allowed models', async () => {
    const { allowed_models } = await created({
      name: 'a',
      allowed_models: ['meta-llama/Llama-3.1-8B', 'b', 'b'],
    });
    expect(allowed_models).toEqual(['meta-llama/Llama-3.1-8B', 'b']);
  });

  it('can keep the price out of answers', async () => {
    const { id, reports_cost } = await created({ name: 'strict', reports_cost: false });
    expect(reports_cost).toBe(false);
    expect(await list()).toContainEqual(expect.objectContaining({ id, reports_cost: false }));
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: '  ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 5 }, 'name'],
    [{ name: 'a\0b' }, 'name'],
    [{ name: 'a', spend_limit: 0 }, 'spend_limit'],
    [{ name: 'a', spend_limit: -1 }, 'spend_limit'],
    [{ name: 'a', spend_limit: 1e-13 }, 'spend_limit'],
    [{ name: 'a', spend_limit: 1e13 }, 'spend_limit'],
    [{ name: 'a', spend_limit: 1234.567890123456 }, 'spend_limit'],
    [{ name: 'a', spend_limit: 'plenty' }, 'spend_limit'],
    [{ name: 'a', spend_limit: true }, 'spend_limit'],
    [{ name: 'a', spend_limit: '1e999' }, 'spend_limit'],
    [{ name: 'a', allowed_models: [] }, 'allowed_models'],
    [{ name: 'a', allowed_models: 'all' }, 'allowed_models'],
    [{ name: 'a', allowed_models: ['a b'] }, 'allowed_models'],
    [{ name: 'a', allowed_models: [1] }, 'allowed_models'],
    [{ name: 'a', reports_cost: 'no' }, 'reports_cost'],
    [{ name: 'a', reports_cost: null }, 'reports_cost'],
    [{ name: 'a', spendLimit: 5 }, 'spendLimit'],
  ])('are refused for %j', async (body, field) => {
    const answer = await create(body);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
  });

  it('are deleted with their hash', async () => {
    const { id } = await created({ name: 'short-lived' });
    const answer = await remove(id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await list()).map((key) => key.id)).not.toContain(id);
    expect((await remove(id)).status).toBe(404);
    const { rows } = await site.database.pool.query(
      'SELECT key_hash, deleted_at FROM accounts.api_keys WHERE id = $1',
      [id],
    );
    expect(rows).toEqual([{ key_hash: null, deleted_at: expect.any(Date) }]);
  });

  it('keys of another account are 404, even for an admin', async () => {
    const { id } = await created({ name: 'mine' });
    const otherAdmin = await site.signedIn('admin');
    const answer = await remove(id, otherAdmin);
    expect([answer.status, answer.body]).toEqual([404, { error: 'no such API key' }]);
    expect((await list(otherAdmin)).map((key) => key.id)).not.toContain(id);
    expect((await list()).map((key) => key.id)).toContain(id);
  });

  it.each(['key_unknown', '%00', 'a%20b', "'--", '%F0%9F%98%80', 'k'.repeat(3000)])(
    'keys with the id %s are 404',
    async (id) => {
      expect((await remove(id)).status).toBe(404);
    },
  );

  it('are listed newest first', async () => {
    for (const name of ['a', 'b', 'c']) await create({ name });
    expect((await list()).map(({ name }) => name)).toEqual(['c', 'b', 'a', 'test']);
  });

  it('are limited in number under concurrent creation', async () => {
    await site.database.pool.query(
      `INSERT INTO accounts.api_keys (id, account_id, name, prefix, key_hash)
       SELECT $1 || n, $1, 'bulk', 'bfvk-', sha256(($1 || n)::bytea) FROM generate_series(1, ${MAX_API_KEYS - 4}) n`,
      [owner.accountId],
    );
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => create({ name: `key ${n}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
    await remove((await list())[0]!.id);
    expect((await create({ name: 'after all' })).status).toBe(201);
  });
});
