import { newId } from '@inference/database';
import {
  createTestDatabase,
  credentialRows,
  documentedOperations,
  insertAccount,
  insertApiKey,
  type Issuer,
  registeredOperations,
  registeredRoutes,
  startIssuer,
  tabledRoutes,
  TEST_API_KEY_HASH_SECRET,
  type TestAccount,
  type TestDatabase,
  TestPool,
  waitFor,
} from '@inference/testing';
import { ENTITIES } from './entities';
import { type RunningService, startRouterCost } from '../test/running-service';

/** Below the time after which a cached session (ten seconds) or key (three) expires, so only a notification can have evicted it. */
const WELL_BELOW_SESSION_MILLIS = 8_000;
const WELL_BELOW_KEY_MILLIS = 2_500;
const COST = '/v1/router/cost';
/** Credentials that a route that is not public accepts (spec: Authentication, rules 8 and 10). */
const OPENING = ['session cookie', 'bearer API key'];

let database: TestDatabase;
let issuer: Issuer;
let service: RunningService;
let account: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  issuer = await startIssuer();
  account = await insertAccount(database.pool);
  service = await startRouterCost({
    DATABASE_URL: database.urlFor('router_cost'),
    CONSOLE_URL: issuer.url,
    API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
  });
});

afterAll(async () => {
  await service.app.close();
  await issuer.close();
  await database.drop();
});

describe('every route', () => {
  it('is in the credential table and in the API document', () => {
    expect(registeredRoutes(service.app)).toEqual(tabledRoutes('router-cost'));
    expect(registeredOperations(service.app)).toEqual(documentedOperations('router-cost'));
  });

  it('accepts its credentials and no other', async () => {
    const { token } = await issuer.signIn(database.pool, account.accountId);
    const { apiKey } = account;
    const credentials: Record<string, { headers: Record<string, string>; query?: string }> = {
      nothing: { headers: {} },
      'session cookie': { headers: { Cookie: `session=${token}` } },
      'another cookie': { headers: { Cookie: `token=${token}` } },
      'API key as cookie': { headers: { Cookie: `session=${apiKey}` } },
      'bearer session': { headers: { Authorization: `Bearer ${token}` } },
      'bearer API key': { headers: { Authorization: `bearer ${apiKey}` } },
      'ApiKey scheme': { headers: { Authorization: `ApiKey ${apiKey}` } },
      'X-API-Key': { headers: { 'X-API-Key': apiKey } },
      'basic scheme': { headers: { Authorization: `Basic ${Buffer.from(`:${apiKey}`).toString('base64')}` } },
      'session in the query': { headers: {}, query: `?token=${token}` },
      'API key in the query': { headers: {}, query: `?token=${apiKey}` },
    };
    for (const { route, method, path, statuses } of credentialRows('router-cost')) {
      for (const [name, { headers, query = '' }] of Object.entries(credentials)) {
        const { status } = await service.get(path + query, undefined, headers, method);
        const isOpen = statuses.none === 200 || OPENING.includes(name);
        expect([route, name, status]).toEqual([route, name, isOpen ? 200 : 401]);
      }
    }
  });
});

describe('a session', () => {
  const statusOf = async (token: string) => (await service.get(COST, token)).status;

  it('is accepted if it is of this site, and refused if it is expired, of the other site or of no account', async () => {
    const signIn = async (options = {}) =>
      (await issuer.signIn(database.pool, account.accountId, options)).token;
    expect(await statusOf(await signIn())).toBe(200);
    expect(await statusOf(await signIn({ lifetimeSeconds: -1 }))).toBe(401);
    expect(await statusOf(await signIn({ site: 'cn' }))).toBe(401);
    const token = await signIn();
    const other = token.at(-10) === 'A' ? 'B' : 'A';
    expect(await statusOf(token.slice(0, -10) + other + token.slice(-9))).toBe(401);
    expect(await statusOf('nonsense')).toBe(401);
  });

  it('is read from the cookie of the configured name, beside that of another site on the same host name', async () => {
    const { token } = await issuer.signIn(database.pool, account.accountId);
    const elsewhere = await issuer.signIn(database.pool, account.accountId, { site: 'cn' });
    const named = await startRouterCost({
      DATABASE_URL: database.urlFor('router_cost'),
      CONSOLE_URL: issuer.url,
      API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
      SESSION_COOKIE_NAME: 'session_4000',
    });
    const statusWith = async (Cookie: string) => (await named.get(COST, undefined, { Cookie })).status;
    expect(await statusWith(`session=${elsewhere.token}; session_4000=${token}`)).toBe(200);
    expect(await statusWith(`session=${token}`)).toBe(401);
    await named.app.close();
  });

  it.each([
    ['__Host-session', {}],
    ['__Secure-session', { COOKIE_DOMAIN: 'platform.test' }],
  ])(
    'is read from the cookie %s in production, and from `session` only without that',
    async (name, domain) => {
      const production = await startRouterCost({
        DATABASE_URL: database.urlFor('router_cost'),
        CONSOLE_URL: issuer.url,
        API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
        NODE_ENV: 'production',
        ...domain,
      });
      const { token: own } = await issuer.signIn(database.pool, account.accountId);
      const { accountId: attacker } = await insertAccount(database.pool);
      const { token: planted } = await issuer.signIn(database.pool, attacker);
      const statusWith = async (Cookie: string) => (await production.get(COST, undefined, { Cookie })).status;
      expect(await statusWith(`${name}=${own}`)).toBe(200);
      expect(await statusWith(`session=${own}`)).toBe(200);
      expect(await statusWith(`session=rubbish; ${name}=${own}`)).toBe(200);
      expect(await statusWith(`session=${own}; ${name}=rubbish`)).toBe(401);
      for (const cookies of [
        [`${name}=${planted}`, `${name}=${own}`],
        [`session=${planted}`, `session=${own}`],
      ]) {
        const answer = await production.get(COST, undefined, { Cookie: cookies.join('; ') });
        expect([answer.status, answer.json]).toEqual([
          401,
          { error: expect.stringMatching(/^the cookie \S*session was sent with different values$/) },
        ]);
        expect(answer.headers.getSetCookie()).toEqual([]);
      }
      await production.app.close();
    },
  );

  it('is refused after a logout, before its cache entry expires', async () => {
    const { id, token } = await issuer.signIn(database.pool, account.accountId);
    expect(await statusOf(token)).toBe(200);
    await database.pool.query('UPDATE accounts.sessions SET ended_at = now() WHERE id = $1', [id]);
    await waitFor(async () => (await statusOf(token)) === 401, WELL_BELOW_SESSION_MILLIS);
  });

  it('shows the cost of all accounts as soon as its account has the role analyst', async () => {
    const { accountId } = await insertAccount(database.pool);
    const { token } = await issuer.signIn(database.pool, accountId);
    await database.pool.query(
      `INSERT INTO metering.hourly_rollup VALUES ('someone', date_trunc('hour', now(), 'UTC'), 'm', 'e', 'per_request', 1, 0, 5, 5)`,
    );
    const users = async () => (await service.get(`${COST}?group_by=user`, token)).text;
    expect(await users()).not.toContain('someone');
    await database.pool.query("UPDATE accounts.accounts SET role = 'analyst' WHERE id = $1", [accountId]);
    await waitFor(async () => (await users()).includes('someone'), WELL_BELOW_SESSION_MILLIS);
  });

  it('of staff without a second factor is 403, and that of a customer is not', async () => {
    const { accountId } = await insertAccount(database.pool, { role: 'analyst' });
    const customer = await insertAccount(database.pool);
    const statusOf = async (id: string) => {
      const { token } = await issuer.signIn(database.pool, id, { secondFactor: null });
      return (await service.get(COST, token)).status;
    };
    expect(await statusOf(accountId)).toBe(403);
    expect(await statusOf(customer.accountId)).toBe(200);
  });
});

describe('an API key', () => {
  it('is refused after its deletion, before its cache entry expires', async () => {
    const { apiKeyId, apiKey } = await insertApiKey(database.pool, account.accountId);
    const status = async () => (await service.get(COST, apiKey)).status;
    expect(await status()).toBe(200);
    await database.pool.query(
      'UPDATE accounts.api_keys SET key_hash = NULL, deleted_at = now() WHERE id = $1',
      [apiKeyId],
    );
    await waitFor(async () => (await status()) === 401, WELL_BELOW_KEY_MILLIS);
  });
});

describe('the status', () => {
  const answer = async (path: string, credential?: string, method?: string) => {
    const { status, json } = await service.get(path, credential, {}, method);
    return [status, json];
  };

  it('is 200 for a report and for HEAD', async () => {
    expect(await answer(COST, account.apiKey)).toEqual([200, expect.objectContaining({ next_cursor: null })]);
    expect((await service.get(COST, account.apiKey, {}, 'HEAD')).status).toBe(200);
  });

  it('is 400 for a bad request', async () => {
    expect(await answer(`${COST}?limit=0`, account.apiKey)).toEqual([400, { error: expect.any(String) }]);
  });

  it('is 401 without a credential, before the parameters are checked', async () => {
    const refusal = [401, { error: 'missing, expired or invalid credential' }];
    expect(await answer(COST)).toEqual(refusal);
    expect(await answer(`${COST}?limit=0`)).toEqual(refusal);
  });

  it('is 404 for an unknown path', async () => {
    for (const path of ['/', '/v1/router', '/v1/router/costs', `${COST}/all`, '/router/cost']) {
      expect(await answer(path, account.apiKey)).toEqual([404, { error: 'not found' }]);
    }
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('is 405 for %s', async (method) => {
    const { status, headers, json } = await service.get(COST, account.apiKey, {}, method);
    expect([status, headers.get('allow'), json]).toEqual([405, 'GET, HEAD', { error: 'method not allowed' }]);
  });

  it('is 503 while the database or the console is unavailable', async () => {
    const { token } = await issuer.signIn(database.pool, account.accountId);
    const config = { API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET, CONSOLE_URL: issuer.url };
    const away = await startRouterCost({ ...config, DATABASE_URL: 'postgres://u:p@127.0.0.1:1/none' });
    for (const credential of [account.apiKey, token]) {
      const { status, json } = await away.get(COST, credential);
      expect([status, json]).toEqual([503, { error: 'database unavailable', code: 'database_unavailable' }]);
    }
    expect((await away.get(COST, 'bfvk-malformed')).status).toBe(401);
    await away.app.close();
    const DATABASE_URL = database.urlFor('router_cost');
    const alone = await startRouterCost({ ...config, DATABASE_URL, CONSOLE_URL: 'http://127.0.0.1:1' });
    const keyless = await alone.get(COST, token);
    expect([keyless.status, keyless.json]).toEqual([
      503,
      { error: 'the session keys are unavailable', code: 'session_keys_unavailable' },
    ]);
    expect((await alone.get(COST, account.apiKey)).status).toBe(200);
    await alone.app.close();
  });
});

describe("the service's own database role", () => {
  it('cannot read tables that the service does not need', async () => {
    const pool = TestPool.of({ url: database.urlFor('router_cost'), applicationName: 'test', size: 1 });
    for (const statement of [
      'SELECT balance_picos FROM wallet.wallets',
      'SELECT FROM wallet.entries',
      'SELECT email FROM accounts.accounts',
      'SELECT password_hash FROM accounts.accounts',
      'SELECT FROM pricing.model_prices',
      'SELECT metering.settle($$x$$, $$[]$$)',
      'SELECT wallet.reclaim_expired_leases()',
      'DELETE FROM metering.usage_events',
      'UPDATE accounts.accounts SET role = $$admin$$',
      'UPDATE accounts.api_keys SET key_hash = NULL',
      `INSERT INTO accounts.sessions VALUES ('${newId('ses')}', '${account.accountId}', now(), now())`,
      'CREATE TABLE metering.mine ()',
      'CREATE TABLE public.mine ()',
      'CREATE SCHEMA mine',
    ]) {
      await expect(pool.query(statement)).rejects.toMatchObject({ code: '42501' });
    }
    await pool.end();
  });

  it('can write only the time of the last use of a key', async () => {
    const { rows } = await database.pool.query<{ writable: string }>(
      `SELECT c.oid::regclass || '.' || a.attname AS writable
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       WHERE c.relkind IN ('r', 'p', 'v') AND c.relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
         AND (has_table_privilege('router_cost', c.oid, 'DELETE, TRUNCATE')
           OR has_column_privilege('router_cost', c.oid, a.attnum, 'INSERT, UPDATE'))`,
    );
    expect(rows.map(({ writable }) => writable)).toEqual(['accounts.api_keys.last_used_at']);
  });

  it('cannot act with the rights of another role', async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT p.oid::regprocedure::text AS name FROM pg_proc p
       WHERE p.prosecdef AND has_function_privilege('router_cost', p.oid, 'EXECUTE')
       UNION ALL SELECT rolname FROM pg_roles
       WHERE rolname <> 'router_cost' AND pg_has_role('router_cost', oid, 'MEMBER')
       UNION ALL SELECT 'itself' FROM pg_roles
       WHERE rolname = 'router_cost' AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication)`,
    );
    expect(rows).toEqual([]);
  });
});
