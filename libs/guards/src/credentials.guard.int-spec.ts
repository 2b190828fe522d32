import { Controller, Get, Post } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { DatabaseModule, newId } from '@inference/database';
import { AnyQuery, createService, Public, ServiceModule } from '@inference/http';
import {
  createTestDatabase,
  insertAccount,
  TEST_API_KEY_HASH_SECRET,
  type TestAccount,
  type TestDatabase,
  rememberRequest,
  testLog,
} from '@inference/testing';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { CREDENTIAL_ENTITIES } from './credentials.entity';
import { createApiKey } from './credentials.repository';
import { API_KEY_CREDENTIALS } from './api-keys/api-key.strategy';
import { type Caller, CurrentCaller } from './caller';
import { Accepts, StaffOnly } from './credentials.decorators';
import { CredentialsModule } from './credentials.module';
import { SESSION_CREDENTIALS } from './sessions/session.strategy';
import { SESSION_AUDIENCE, sessionIssuer } from './sessions/session-token.strategy';

@Controller('routes')
class RoutesController {
  @Get('public')
  @AnyQuery()
  @Public()
  open() {
    return {};
  }

  @Get('default')
  byDefault(@CurrentCaller() { accountId }: Caller) {
    return { accountId };
  }

  @Get('cookie-or-key')
  @Accepts('session_cookie', 'api_key')
  cookieOrKey(@CurrentCaller() { accountId }: Caller) {
    return { accountId };
  }

  @Post('cookie-or-key')
  @Accepts('session_cookie', 'session', 'api_key')
  act(@CurrentCaller() { accountId }: Caller) {
    return { accountId };
  }

  @Get('download')
  @AnyQuery()
  @Accepts('session', 'session_query')
  download(@CurrentCaller() { accountId }: Caller) {
    return { accountId };
  }

  @Get('staff')
  @StaffOnly()
  staff(@CurrentCaller() { role }: Caller) {
    return { role };
  }
}

@Controller('closed')
@Accepts('api_key')
@StaffOnly()
class ClosedController {
  @Get()
  read() {
    return {};
  }
}

/** A configured origin: its pages may use the session cookie from another site. */
const UI = 'https://ui.example.com';

class AppModule {}

describe('CredentialsGuard', () => {
  let database: TestDatabase;
  let app: NestExpressApplication;
  let url: string;
  let user: TestAccount;
  let admin: TestAccount;
  let token: string;
  let adminToken: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const module = {
      module: AppModule,
      imports: [
        ServiceModule.forRoot({}),
        DatabaseModule.forRoot(
          'guard',
          { DATABASE_URL: database.urlFor('console'), DATABASE_POOL_SIZE: 2 },
          CREDENTIAL_ENTITIES,
        ),
        CredentialsModule.forRoot({
          SITE: 'intl',
          STAFF_2FA: 'optional',
          API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
          publicKeys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }],
          strategies: [SESSION_CREDENTIALS, API_KEY_CREDENTIALS],
          defaultKinds: ['session'],
          sessionCacheSeconds: 0,
          sessionCookie: { name: 'session' },
          CORS_ORIGINS: [UI],
        }),
      ],
      controllers: [RoutesController, ClosedController],
    };
    const config = { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace' };
    app = await createService(module, config, { name: 'guard', logTo: testLog('guard') });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    user = await insertAccount(database.pool);
    admin = await insertAccount(database.pool, { role: 'admin' });
    const signIn = async ({ accountId }: TestAccount) => {
      const sid = newId('ses');
      await database.pool.query(
        "INSERT INTO accounts.sessions (id, account_id, expires_at) VALUES ($1, $2, now() + interval '1 hour')",
        [sid, accountId],
      );
      return new SignJWT({ sub: accountId, sid, iss: sessionIssuer('intl'), aud: SESSION_AUDIENCE })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setExpirationTime('1h')
        .sign(privateKey);
    };
    token = await signIn(user);
    adminToken = await signIn(admin);
  });

  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  const ways: Record<
    string,
    (session: string, key: string) => { headers?: Record<string, string>; query?: string }
  > = {
    nothing: () => ({}),
    session: (session) => ({ headers: { Authorization: `Bearer ${session}` } }),
    session_cookie: (session) => ({ headers: { Cookie: `theme=dark; session=${session}` } }),
    session_query: (session) => ({ query: `?token=${session}` }),
    api_key: (_session, key) => ({ headers: { Authorization: `Bearer ${key}` } }),
  };

  async function call(
    path: string,
    { headers = {}, query = '' }: { headers?: Record<string, string>; query?: string },
    method = 'GET',
  ) {
    rememberRequest(query, headers);
    const response = await fetch(`${url}${path}${query}`, { method, headers });
    return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
  }

  const INVALID = { error: 'missing, expired or invalid credential' };

  it.each<[string, string[], Record<string, string>]>([
    ['/routes/public', ['nothing', 'session', 'session_cookie', 'session_query', 'api_key'], {}],
    [
      '/routes/default',
      ['session'],
      { api_key: 'this route accepts a session token (Authorization: Bearer), not an API key' },
    ],
    [
      '/routes/cookie-or-key',
      ['session_cookie', 'api_key'],
      {
        session:
          'this route accepts a session token (session cookie) or an API key (Authorization: Bearer), not a session token (Authorization: Bearer)',
      },
    ],
    [
      '/routes/download',
      ['session', 'session_query'],
      { api_key: 'this route accepts a session token (Authorization: Bearer or ?token=), not an API key' },
    ],
  ])('opens %s to %p only, and names the accepted kinds', async (path, opening, messages) => {
    for (const [way, credential] of Object.entries(ways)) {
      const { status, body } = await call(path, credential(token, user.apiKey));
      expect([way, status]).toEqual([way, opening.includes(way) ? 200 : 401]);
      if (status === 401) expect(body).toEqual(way in messages ? { error: messages[way] } : INVALID);
      else if (path !== '/routes/public') expect(body).toEqual({ accountId: user.accountId });
    }
  });

  it('answers to a credential of the wrong kind without telling whether it is valid', async () => {
    const bearer = (credential: string) => ({ headers: { Authorization: `Bearer ${credential}` } });
    const ofKey = await call('/routes/default', bearer(user.apiKey));
    for (const key of [createApiKey().key, 'bfvk-malformed'])
      expect((await call('/routes/default', bearer(key))).body).toEqual(ofKey.body);
    const ofToken = await call('/closed', bearer(token));
    expect((await call('/closed', bearer(`${token}x`))).body).toEqual(ofToken.body);
    expect((await call('/closed', bearer('a.b.c'))).body).toEqual(ofToken.body);
  });

  it('names the accepted kinds to a workspace key, and no kind to what it does not recognise', async () => {
    const error = 'this route accepts a session token (Authorization: Bearer), not a workspace key';
    const headers: Record<string, string>[] = [{ 'X-API-Key': 'sk_1' }, { Authorization: 'Bearer sk_1' }];
    for (const sent of headers)
      expect((await call('/routes/default', { headers: sent })).body).toEqual({ error });
    for (const rubbish of ['rubbish', 'a.b', 'a..c', 'x-bfvk-1'])
      expect(
        (await call('/routes/default', { headers: { Authorization: `Bearer ${rubbish}` } })).body,
      ).toEqual(INVALID);
  });

  it('names the accepted scheme in the challenge', async () => {
    expect((await call('/routes/default', {})).headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each(['bearer', 'BEARER', 'Bearer  '])('accepts the scheme as "%s"', async (scheme) => {
    const { status } = await call('/routes/default', { headers: { Authorization: `${scheme} ${token}` } });
    expect(status).toBe(200);
  });

  it.each(['', 'Bearer', 'Bearer ', 'Basic dTpw', 'Token x', 'Bearer a b', 'Bearer bfvk-x', 'Bearer null'])(
    'refuses the header "%s", even with a good cookie',
    async (authorization) => {
      const headers = { Authorization: authorization, Cookie: `session=${token}` };
      const { status } = await call('/routes/cookie-or-key', { headers });
      expect(status).toBe(401);
    },
  );

  it.each(['session=', 'session=%E0%A4%A', 'session', 'sessions=x', ';;=', `session="${'x'.repeat(50)}"`])(
    'refuses the cookie "%s"',
    async (cookie) => {
      expect((await call('/routes/cookie-or-key', { headers: { Cookie: cookie } })).status).toBe(401);
    },
  );

  it.each(['?token=', '?token=a&token=b', '?token[]=a', '?token=%00'])(
    'refuses the query "%s"',
    async (query) => {
      expect((await call('/routes/download', { query })).status).toBe(401);
    },
  );

  it('refuses a key that was never issued', async () => {
    const headers = { Authorization: `Bearer ${createApiKey().key}` };
    expect((await call('/routes/cookie-or-key', { headers })).status).toBe(401);
  });

  it('answers 403 to a caller without the role, and 401 to no caller', async () => {
    const bearer = (credential: string) => ({ headers: { Authorization: `Bearer ${credential}` } });
    const refused = await call('/routes/staff', bearer(token));
    expect([refused.status, refused.body]).toEqual([
      403,
      { error: 'this account does not have the required role' },
    ]);
    expect((await call('/routes/staff', {})).status).toBe(401);
    expect((await call('/routes/staff', bearer(adminToken))).body).toEqual({ role: 'admin' });
  });

  it('applies the decorators of a controller to its routes', async () => {
    const bearer = (credential: string) => ({ headers: { Authorization: `Bearer ${credential}` } });
    const statuses = [user.apiKey, admin.apiKey, adminToken].map(async (credential) => {
      return (await call('/closed', bearer(credential))).status;
    });
    // A key of an admin carries no role.
    expect(await Promise.all(statuses)).toEqual([403, 403, 401]);
  });

  it('refuses two different session cookies, in any order, and takes the same one twice', async () => {
    const statusWith = async (Cookie: string) =>
      (await call('/routes/cookie-or-key', { headers: { Cookie } })).status;
    expect(await statusWith(`session=${token}; session=${adminToken}`)).toBe(401);
    expect(await statusWith(`session=${adminToken}; session=${token}`)).toBe(401);
    expect(await statusWith(`session=${token}; session=`)).toBe(401);
    expect(await statusWith(`session=${token}; session=${token}`)).toBe(200);
  });

  describe('with the session cookie', () => {
    const FOREIGN = 'https://evil.example';
    const crossSite = { error: 'the session cookie is not accepted from another site' };
    const act = (headers: Record<string, string>) =>
      call('/routes/cookie-or-key', { headers: { Cookie: `session=${token}`, ...headers } }, 'POST');

    it.each<[string, () => Record<string, string>]>([
      ['a page of its own', () => ({ 'Sec-Fetch-Site': 'same-origin', Origin: url })],
      ['the user', () => ({ 'Sec-Fetch-Site': 'none' })],
      ['an older browser on a page of its own', () => ({ Origin: url })],
      ['a page of a configured origin', () => ({ 'Sec-Fetch-Site': 'cross-site', Origin: UI })],
      ['an older browser on a page of a configured origin', () => ({ Origin: UI })],
    ])('accepts a change from %s', async (_who, headers) => {
      const { status, body } = await act(headers());
      expect([status, body]).toEqual([201, { accountId: user.accountId }]);
    });

    it.each<[string, () => Record<string, string>]>([
      ['a page of another site', () => ({ 'Sec-Fetch-Site': 'cross-site', Origin: FOREIGN })],
      ['a page of a sister site', () => ({ 'Sec-Fetch-Site': 'same-site', Origin: 'http://a.127.0.0.1' })],
      ['a page with a forged origin', () => ({ 'Sec-Fetch-Site': 'cross-site', Origin: url })],
      ['an older browser on a page of another site', () => ({ Origin: FOREIGN })],
      ['a page without an origin', () => ({ Origin: 'null' })],
      ['another port', () => ({ Origin: 'http://127.0.0.1:1' })],
      ['another scheme', () => ({ Origin: url.replace('http:', 'https:') })],
      ['a page that forges the host', () => ({ Origin: FOREIGN, 'X-Forwarded-Host': 'evil.example' })],
      ['a client that is not a browser', () => ({})],
      ['a page with an unknown Sec-Fetch-Site', () => ({ 'Sec-Fetch-Site': 'friendly', Origin: url })],
    ])('refuses a change from %s', async (_who, headers) => {
      const { status, body } = await act(headers());
      expect([status, body]).toEqual([403, crossSite]);
    });

    it('accepts a read from any page, since the browser hides the response from other sites', async () => {
      const headers = { Cookie: `session=${token}`, 'Sec-Fetch-Site': 'cross-site', Origin: FOREIGN };
      expect((await call('/routes/cookie-or-key', { headers })).status).toBe(200);
    });

    it.each(['session', 'api_key'])('does not check the site for a Bearer %s', async (way) => {
      const { headers } = ways[way]!(token, user.apiKey);
      expect((await act({ ...headers, 'Sec-Fetch-Site': 'cross-site', Origin: FOREIGN })).status).toBe(201);
    });

    it('recognises its own origin behind a trusted proxy', async () => {
      const headers = {
        Origin: 'https://router.example.com',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'router.example.com',
      };
      expect((await act(headers)).status).toBe(403);
      app.set('trust proxy', ['loopback']);
      expect((await act(headers)).status).toBe(201);
      app.set('trust proxy', false);
    });
  });
});
