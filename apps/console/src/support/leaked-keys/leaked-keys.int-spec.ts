import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { createApiKey, createSecretKey, hashSecretKey } from '@inference/guards';
import { TEST_API_KEY_HASH_SECRET, waitFor } from '@inference/testing';
import { TestConsole, type SignedIn, TestSite } from '../../testing/console.fixture';
import { type CreatedApiKeyResponse } from '../../identity/api-keys/api-keys.dto';

const WORKS = 404;
/** Less than the three seconds for which a key is cached. */
const NOTIFIED_MILLIS = 2_000;
const newPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64');

describe('reports of leaked keys', () => {
  const pair = newPair();
  let scanner: Server;
  let scannerUrl: string;
  let lists: number;
  let published: { status: number; keys: Record<string, KeyObject> };
  let site: TestSite;
  let owner: SignedIn;

  beforeAll(async () => {
    lists = 0;
    published = { status: 200, keys: { one: pair.publicKey } };
    scanner = createServer((_request, response) => {
      lists++;
      const keys = Object.entries(published.keys).map(([id, key]) => ({
        key_identifier: id,
        key: key.export({ type: 'spki', format: 'pem' }),
        is_current: true,
      }));
      response.writeHead(published.status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ public_keys: keys }));
    });
    await new Promise<void>((resolve) => scanner.listen(0, '127.0.0.1', resolve));
    scannerUrl = `http://127.0.0.1:${(scanner.address() as AddressInfo).port}/keys`;
    site = await TestSite.start({ SECRET_SCANNING_KEYS_URL: scannerUrl });
  });
  beforeEach(async () => (owner = await site.signedIn()));
  afterAll(async () => {
    await site.stop();
    scanner.close();
  });

  const report = async (
    body: unknown,
    { key = pair.privateKey, identifier = 'one', signed = body, of = site.console } = {},
  ) => {
    const bytes = typeof body === 'string' ? body : JSON.stringify(body);
    const signedBytes = typeof signed === 'string' ? signed : JSON.stringify(signed);
    const answer = await fetch(`${of.url}/api/keys/leaked`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Github-Public-Key-Identifier': identifier,
        'Github-Public-Key-Signature': sign('sha256', Buffer.from(signedBytes), key).toString('base64'),
      },
      body: bytes,
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const create = async (name = 'key') => {
    const json = { name };
    const { body } = await site.console.request('POST', '/api/api-keys', { token: owner.token, json });
    return body as CreatedApiKeyResponse;
  };
  const rotate = async (id: string) => {
    const json = { overlap_seconds: 600 };
    const path = `/api/api-keys/${id}/rotate`;
    const { body } = await site.console.request('POST', path, { token: owner.token, json });
    return body as CreatedApiKeyResponse;
  };
  /** The one call of the console that takes API keys. */
  const statusOf = async (key: string) =>
    (await site.console.request('GET', '/api/models/none/download', { token: key })).status;
  const mails = async () => {
    const { rows } = await site.database.pool.query<{ leaked: object }>(
      "SELECT params->'leaked' AS leaked FROM accounts.mail_outbox WHERE account_id = $1 AND kind = 'api_key_leaked'",
      [owner.accountId],
    );
    return rows.map(({ leaked }) => leaked);
  };
  const leaks = async () => {
    const { body } = await site.console.request('GET', '/api/auth/events', { token: owner.token });
    const { events } = body as { events: { type: string; details: object }[] };
    return events.filter(({ type }) => type === 'api_key.leaked').map(({ details }) => details);
  };

  it('disable the key at once, and tell its owner once', async () => {
    const { id, key, prefix } = await create('published');
    expect(await statusOf(key)).toBe(WORKS);
    const url = 'https://example.com/repository/file';
    const found = [{ token: key, type: 'platform_key', url, source: 'commit', more: 1 }, { token: key }];
    expect(await report(found)).toEqual({
      status: 200,
      body: [{ token_hash: hashOf(key), token_type: 'platform_key', label: 'true_positive' }],
    });
    expect(await report([found[0]])).toMatchObject({ status: 200 });
    await waitFor(async () => (await statusOf(key)) === 401, NOTIFIED_MILLIS);
    expect(await leaks()).toEqual([{ api_key_id: id, prefix, former_secret: false, url, source: 'commit' }]);
    expect(await mails()).toEqual([{ name: 'published', prefix, url, isFormerSecret: false }]);
  });

  it('tell the owner of a key that was disabled before, once', async () => {
    const { id, key, prefix } = await create('put aside');
    const json = { disabled: true };
    await site.console.request('PATCH', `/api/api-keys/${id}`, { token: owner.token, json });
    const found = [{ token: key, url: 'https://example.com/log', source: 'commit' }];
    for (let i = 0; i < 2; i++)
      expect((await report(found)).body).toMatchObject([{ label: 'true_positive' }]);
    expect(await leaks()).toMatchObject([{ api_key_id: id, former_secret: false }]);
    expect(await mails()).toMatchObject([{ name: 'put aside', prefix }]);
  });

  it('know a former secret that has ended, and change nothing', async () => {
    const { id, key } = await create('rolled');
    const json = { overlap_seconds: 0 };
    const path = `/api/api-keys/${id}/rotate`;
    const { body } = await site.console.request('POST', path, { token: owner.token, json });
    expect((await report([{ token: key }])).body).toMatchObject([{ label: 'true_positive' }]);
    expect([await statusOf((body as CreatedApiKeyResponse).key), await leaks(), await mails()]).toEqual([
      WORKS,
      [],
      [],
    ]);
  });

  it('delete a workspace key, and tell who has made it', async () => {
    const { key, prefix } = createSecretKey('sk_');
    const sql = site.database.pool;
    await sql.query(
      `WITH workspace AS (INSERT INTO memo.workspaces (id, name, created_by) VALUES ('ws_' || $1, 'notes', $1) RETURNING id),
         member AS (INSERT INTO memo.members (workspace_id, account_id, role, shows_email)
           SELECT id, $1, 'admin', true FROM workspace RETURNING workspace_id)
       INSERT INTO memo.keys (id, workspace_id, account_id, name, prefix, key_hash, role)
       SELECT 'wk_' || $1, workspace_id, $1, 'reader', $2, $3, 'viewer' FROM member`,
      [owner.accountId, prefix, hashSecretKey(key, TEST_API_KEY_HASH_SECRET)],
    );
    const url = 'https://example.com/notes';
    expect((await report([{ token: key, url }])).body).toMatchObject([{ label: 'true_positive' }]);
    expect((await sql.query('SELECT FROM memo.keys WHERE account_id = $1', [owner.accountId])).rows).toEqual(
      [],
    );
    const { body } = await site.console.request('GET', '/api/auth/events', { token: owner.token });
    expect((body as { events: object[] }).events[0]).toMatchObject({
      type: 'workspace_key.deleted',
      details: { workspace_key_id: `wk_${owner.accountId}`, prefix, leaked: true, url },
    });
    const { rows } = await sql.query<{ leaked: object }>(
      "SELECT params->'leaked' AS leaked FROM accounts.mail_outbox WHERE account_id = $1 AND kind = 'workspace_key_leaked'",
      [owner.accountId],
    );
    expect(rows).toEqual([{ leaked: { name: 'reader', prefix, url, isFormerSecret: false } }]);
    expect((await report([{ token: key }])).body).toMatchObject([{ label: 'false_positive' }]);
  });

  it('disable a management key', async () => {
    const json = { name: 'managing', kind: 'management' };
    const { body } = await site.console.request('POST', '/api/api-keys', { token: owner.token, json });
    const { id, key } = body as CreatedApiKeyResponse;
    const list = async () => (await site.console.request('GET', '/api/api-keys', { token: key })).status;
    expect(await list()).toBe(200);
    expect((await report([{ token: key }])).body).toMatchObject([{ label: 'true_positive' }]);
    expect(await list()).toBe(401);
    expect(await leaks()).toMatchObject([{ api_key_id: id }]);
  });

  it('are kept without characters that no text may have', async () => {
    const { key } = await create('odd');
    const url = `https://example.com/\u0000${'a'.repeat(478)}😀tail`;
    expect(await report([{ token: key, url, source: '\ud800\u0007' }])).toMatchObject({ status: 200 });
    expect(await statusOf(key)).toBe(401);
    const place = { url: `https://example.com/ ${'a'.repeat(478)}�`, source: '�' };
    expect(await leaks()).toMatchObject([place]);
  });

  it('end the former secret of a rotated key, which goes on', async () => {
    const { id, key } = await create('rolled');
    const next = await rotate(id);
    const url = 'https://example.com/log';
    expect(await report([{ token: key, type: 't', url, source: 'commit' }])).toMatchObject({ status: 200 });
    expect([await statusOf(key), await statusOf(next.key)]).toEqual([401, WORKS]);
    expect(await leaks()).toMatchObject([{ former_secret: true, url, source: 'commit' }]);
    expect(await mails()).toEqual([{ name: 'rolled', prefix: next.prefix, url, isFormerSecret: true }]);
  });

  it('say of a secret that is no key of the site that it is none', async () => {
    const foreign = createApiKey().key;
    const { id, key } = await create();
    await site.console.request('DELETE', `/api/api-keys/${id}`, { token: owner.token });
    const tokens = [foreign, 'bfvk-wrong', key, 'é'.repeat(1000)];
    const { status, body } = await report(tokens.map((token) => ({ token, type: 't', url: null })));
    expect(status).toBe(200);
    expect(body).toEqual(
      tokens.map((token) => ({ token_hash: hashOf(token), token_type: 't', label: 'false_positive' })),
    );
    expect((await report([])).body).toEqual([]);
  });

  it('are refused unless the scanner has signed these bytes', async () => {
    const { key } = await create();
    const body = [{ token: key }];
    const refusals = [
      await report(body, { signed: [{ token: 'other' }] }),
      await report(body, { key: newPair().privateKey }),
      await report(body, { identifier: 'unknown' }),
      await report(body, { identifier: '' }),
      await report('{"token"', {}),
      await report({ token: key }),
      await report([{ token: 1 }]),
    ];
    expect(refusals.map(({ status }) => status)).toEqual(Array(7).fill(400));
    expect(JSON.stringify(refusals)).not.toContain(key);
    const text = { method: 'POST', body: '[]', headers: { 'Content-Encoding': 'unknown' } };
    expect((await fetch(`${site.console.url}/api/keys/leaked`, text)).status).toBe(415);
    expect(await statusOf(key)).toBe(WORKS);
    // Forged identifiers cause no further request.
    expect(lists).toBe(1);
  });

  it('wait while the keys of the scanner are unknown, and are not taken by a site without one', async () => {
    published.status = 500;
    const other = await TestConsole.start(site.database.urlFor('console'), {
      SECRET_SCANNING_KEYS_URL: scannerUrl,
    });
    const without = await TestConsole.start(site.database.urlFor('console'));
    try {
      expect(await report([], { of: other })).toMatchObject({
        status: 503,
        body: { code: 'scanner_keys_unavailable' },
      });
      expect((await report([], { of: without })).status).toBe(404);
    } finally {
      published.status = 200;
      await other.close();
      await without.close();
    }
  });
});
