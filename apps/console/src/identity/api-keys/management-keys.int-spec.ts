import { createApiKey, isApiKey } from '@inference/guards';
import { waitFor } from '@inference/testing';
import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { deleteApiKeysMadeBefore } from './api-keys.repository';
import { type ApiKeyResponse, type CreatedApiKeyResponse } from './api-keys.dto';

const KEYS = '/api/api-keys';
const EXCEEDED = { code: 'management_key_exceeded' };

describe('a management key', () => {
  let site: TestSite;
  let owner: SignedIn;
  const create = (json: object, token = owner.token) => site.console.request('POST', KEYS, { token, json });
  const created = async (json: object, token = owner.token) => {
    const { status, body } = await create(json, token);
    expect([status, body]).toEqual([201, expect.anything()]);
    return body as CreatedApiKeyResponse;
  };
  const manager = (json: object = {}) => created({ name: 'terraform', kind: 'management', ...json });
  const change = (id: string, json: object, token: string) =>
    site.console.request('PATCH', `${KEYS}/${id}`, { token, json });
  const rotate = (id: string, token: string, json = {}) =>
    site.console.request('POST', `${KEYS}/${id}/rotate`, { token, json });
  const list = async (token = owner.token) => {
    const { body } = await site.console.request('GET', KEYS, { token });
    return (body as { api_keys: ApiKeyResponse[] }).api_keys;
  };
  const eventsOf = async (type: string) => {
    const { body } = await site.console.request('GET', '/api/auth/events', { token: owner.token });
    const { events } = body as { events: { type: string; details: object }[] };
    return events.filter((event) => event.type === type).map(({ details }) => details);
  };

  beforeAll(async () => (site = await TestSite.start()));
  beforeEach(async () => (owner = await site.signedIn('user', 10n ** 15n)));
  afterAll(() => site.stop());

  it('is made by a person, in a form of its own', async () => {
    const { id, key, prefix, kind, created_by } = await manager({ rpm: 60, allowed_models: ['vendor/*'] });
    expect([isApiKey(key, 'management'), isApiKey(key), key.startsWith(prefix)]).toEqual([true, false, true]);
    expect([kind, created_by]).toEqual(['management', { kind: 'person', id: owner.accountId, name: null }]);
    expect((await list()).map((listed) => [listed.id, listed.kind])).toEqual([
      [id, 'management'],
      [owner.apiKeyId, 'api'],
    ]);
    expect(await eventsOf('api_key.created')).toEqual([{ api_key_id: id, prefix, kind: 'management' }]);
    const refused = await create({ name: 'x', kind: 'management', reports_cost: false });
    expect([refused.status, refused.body]).toEqual([400, { error: expect.stringContaining('reports_cost') }]);
    expect((await create({ name: 'x', kind: 'staff' })).status).toBe(400);
  });

  it('makes, lists, changes, rotates and disables API keys, and is named as their maker', async () => {
    const { id: managerId, key: token } = await manager();
    const made = await created({ name: 'made' }, token);
    const by = { kind: 'management_key', id: managerId, name: 'terraform' };
    expect([isApiKey(made.key), made.created_by, made.rotated_by]).toEqual([true, by, null]);
    expect((await list(token)).map(({ id }) => id)).toEqual([made.id, owner.apiKeyId]);
    const changed = await change(owner.apiKeyId, { name: 'renamed', disabled: true }, token);
    expect([changed.status, changed.body]).toEqual([
      200,
      expect.objectContaining({
        name: 'renamed',
        status: 'disabled',
        created_by: { kind: 'person', id: owner.accountId, name: null },
      }),
    ]);
    const rotated = (await rotate(made.id, token)).body as CreatedApiKeyResponse;
    expect([isApiKey(rotated.key), rotated.rotated_by]).toEqual([true, by]);
    expect(await eventsOf('api_key.rotated')).toMatchObject([{ management_key_id: managerId }]);
    await rotate(made.id, owner.token);
    expect((await list())[0]).toMatchObject({
      created_by: by,
      rotated_at: expect.any(String),
      rotated_by: { kind: 'person', id: owner.accountId },
    });
    await waitFor(async () => (await list()).find(({ id }) => id === managerId)!.last_used_at);
  });

  it('opens nothing else, and neither makes nor changes management keys', async () => {
    const { id, key: token } = await manager();
    const other = await manager();
    const statusOf = async (method: string, path: string, json?: object) =>
      (await site.console.request(method, path, { token, ...(json && { json }) })).status;
    expect((await create({ name: 'x', kind: 'management' }, token)).body).toMatchObject(EXCEEDED);
    for (const target of [id, other.id]) {
      expect((await change(target, { name: 'x' }, token)).status).toBe(404);
      expect((await rotate(target, token)).status).toBe(404);
    }
    expect(await statusOf('DELETE', `${KEYS}/${owner.apiKeyId}`)).toBe(401);
    expect(await statusOf('GET', '/api/auth/me')).toBe(401);
    expect(await statusOf('GET', '/api/billing/usage')).toBe(401);
    expect(await statusOf('GET', '/api/models/none/download')).toBe(401);
    const foreign = await site.signedIn();
    expect((await change(foreign.apiKeyId, { disabled: true }, token)).status).toBe(404);
  });

  describe('with limits', () => {
    const LIMITS = {
      spend_limit: 25,
      period: 'month',
      allowed_models: ['vendor/*', 'one'],
      rpm: 60,
      tpm: 1000,
    };
    let token: string;
    beforeEach(async () => ({ key: token } = await manager(LIMITS)));

    it('gives them to the keys that it makes', async () => {
      expect(await created({ name: 'made' }, token)).toMatchObject(LIMITS);
      const less = {
        spend_limit: 5,
        period: 'total',
        allowed_models: ['vendor/small*'],
        rpm: 1,
        max_concurrency: 9,
      };
      expect(await created({ name: 'made', ...less }, token)).toMatchObject({ ...less, tpm: 1000 });
    });

    it.each([
      [{ spend_limit: 26 }, 'spend_limit: must be at most 25, with the period month or total'],
      [{ spend_limit: null }, 'spend_limit'],
      [{ period: 'day' }, 'spend_limit'],
      [{ allowed_models: null }, 'allowed_models: must be among vendor/*, one'],
      [{ allowed_models: ['one', 'two'] }, 'allowed_models'],
      [{ allowed_models: ['vendor*'] }, 'allowed_models'],
      [{ rpm: 61 }, 'rpm: must be at most 60'],
      [{ rpm: null }, 'rpm'],
      [{ tpm: 1001 }, 'tpm'],
    ])('neither makes nor makes out of its keys one with %j', async (json, message) => {
      const made = await created({ name: 'made' }, token);
      for (const answer of [
        await create({ name: 'more', ...json }, token),
        await change(made.id, json, token),
      ]) {
        const error = expect.stringContaining(message);
        expect([answer.status, answer.body]).toEqual([403, { error, ...EXCEEDED }]);
      }
    });

    it('gives nobody the secret of a key that can do more, and only describes or disables it', async () => {
      const id = owner.apiKeyId;
      expect((await rotate(id, token)).body).toMatchObject(EXCEEDED);
      for (const json of [
        { expires_at: null, rpm: 5 },
        { allowed_ips: ['203.0.113.1'] },
        { reports_cost: false },
      ])
        expect([json, (await change(id, json, token)).status]).toEqual([json, 403]);
      expect((await change(id, { disabled: true, tags: ['old'] }, token)).status).toBe(200);
      expect((await change(id, { disabled: false }, token)).status).toBe(403);
      const within = { ...LIMITS, disabled: false };
      expect((await change(id, within, token)).status).toBe(200);
      expect((await rotate(id, token)).status).toBe(200);
    });
  });

  it('ends when it is disabled, has expired, is rotated or is deleted', async () => {
    const soon = new Date(Date.now() + 86_400_000).toISOString();
    const { id, key: token } = await manager({ expires_at: soon, allowed_ips: ['127.0.0.1', '::1'] });
    const read = async (secret = token) =>
      (await site.console.request('GET', KEYS, { token: secret })).status;
    expect(await read()).toBe(200);
    await change(id, { allowed_ips: ['203.0.113.1'] }, owner.token);
    expect(await read()).toBe(403);
    await change(id, { allowed_ips: null, disabled: true }, owner.token);
    expect(await read()).toBe(401);
    await change(id, { disabled: false }, owner.token);
    const next = (await rotate(id, owner.token)).body as CreatedApiKeyResponse;
    expect([isApiKey(next.key, 'management'), await read(), await read(next.key)]).toEqual([true, 401, 200]);
    await site.database.pool.query('UPDATE accounts.api_keys SET expires_at = now() WHERE id = $1', [id]);
    expect(await read(next.key)).toBe(401);
    await change(id, { expires_at: null }, owner.token);
    await site.console.request('DELETE', `${KEYS}/${id}`, { token: owner.token });
    expect([await read(next.key), await read(createApiKey('management').key)]).toEqual([401, 401]);
  });

  it('is deleted with the secrets that come from it, where access was made before a proof', async () => {
    const { id, key: token } = await manager();
    const before = new Date(Date.now() + 1).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const made = await created({ name: 'made' }, token);
    const kept = await created({ name: 'kept' });
    const rolled = await created({ name: 'rolled' });
    await rotate(rolled.id, token);
    const deleted = await site.database.pool.transaction((transaction) =>
      deleteApiKeysMadeBefore(transaction, owner.accountId, before),
    );
    expect(deleted.sort()).toEqual([id, owner.apiKeyId, made.id, rolled.id].sort());
    expect((await list()).map((key) => key.id)).toEqual([kept.id]);
  });
});
