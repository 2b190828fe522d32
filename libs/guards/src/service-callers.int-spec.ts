import { randomBytes } from 'node:crypto';
import { Controller, Get } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { DatabaseModule } from '@inference/database';
import { createService, ServiceModule } from '@inference/http';
import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  rememberRequest,
  TEST_API_KEY_HASH_SECRET,
  type TestAccount,
  type TestDatabase,
  testLog,
} from '@inference/testing';
import { CREDENTIAL_ENTITIES } from './credentials.entity';
import { createApiKey } from './credentials.repository';
import { API_KEY_CREDENTIALS } from './api-keys/api-key.strategy';
import { type Caller, CurrentCaller } from './caller';
import { Accepts, StaffOnly } from './credentials.decorators';
import { CredentialsModule } from './credentials.module';
import { SESSION_CREDENTIALS } from './sessions/session.strategy';
import { serviceCallerCredentials } from './service-caller.strategy';

@Controller()
class RoutesController {
  @Get('keys')
  keys(@CurrentCaller() caller: Caller) {
    return caller;
  }

  @Get('schemes')
  @Accepts('api_key', 'api_key_scheme')
  schemes(@CurrentCaller() caller: Caller) {
    return caller;
  }

  @Get('plain')
  @Accepts('service')
  plain() {
    return {};
  }

  @Get('plain-or-session')
  @Accepts('session', 'service')
  plainOrSession() {
    return {};
  }

  @Get('plain-asking-for-a-caller')
  @Accepts('service')
  caller(@CurrentCaller() caller: Caller) {
    return caller;
  }

  @Get('plain-for-admins')
  @Accepts('service')
  @StaffOnly()
  plainForAdmins() {
    return {};
  }

  @Get('on-behalf')
  @Accepts('api_key', 'on_behalf')
  onBehalf(@CurrentCaller() caller: Caller) {
    return caller;
  }

  @Get('on-behalf-for-admins')
  @Accepts('on_behalf')
  @StaffOnly()
  onBehalfForAdmins(@CurrentCaller() caller: Caller) {
    return caller;
  }

  @Get('either')
  @Accepts('service', 'on_behalf')
  either() {
    return {};
  }
}

class AppModule {}

const newSecret = () => randomBytes(24).toString('base64url');
const SECRETS = { agent: [newSecret(), newSecret()], memo: [newSecret()] };
const [AGENT = '', AGENT_NEXT = ''] = SECRETS.agent;
const [MEMO = ''] = SECRETS.memo;

describe('the platform’s own services', () => {
  let database: TestDatabase;
  let app: NestExpressApplication;
  let url: string;
  let user: TestAccount;
  let admin: TestAccount;

  beforeAll(async () => {
    database = await createTestDatabase();
    const module = {
      module: AppModule,
      imports: [
        ServiceModule.forRoot({}),
        DatabaseModule.forRoot(
          'services',
          {
            DATABASE_URL: database.urlFor('gateway'),
            DATABASE_POOL_SIZE: 2,
          },
          CREDENTIAL_ENTITIES,
        ),
        CredentialsModule.forRoot({
          SITE: 'intl',
          STAFF_2FA: 'optional',
          API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
          publicKeys: [],
          defaultKinds: ['api_key'],
          strategies: [API_KEY_CREDENTIALS, SESSION_CREDENTIALS, serviceCallerCredentials(SECRETS)],
        }),
      ],
      controllers: [RoutesController],
    };
    const config = { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace' };
    app = await createService(module, config, { name: 'services', logTo: testLog('services') });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    user = await insertAccount(database.pool);
    admin = await insertAccount(database.pool, { role: 'admin' });
  });

  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  async function call(path: string, authorization: string, headers: Record<string, string> = {}) {
    const sent = { Authorization: authorization, ...headers };
    rememberRequest(path, sent);
    const response = await fetch(url + path, { headers: sent });
    const challenge = response.headers.get('www-authenticate');
    return { status: response.status, challenge, body: (await response.json()) as unknown };
  }
  const of = (account: TestAccount) => ({ 'X-On-Behalf-Of': account.accountId });
  const ofKey = (account: TestAccount) => ({ ...of(account), 'X-On-Behalf-Of-Key': account.apiKeyId });

  const INVALID = {
    status: 401,
    challenge: 'Bearer',
    body: { error: 'missing, expired or invalid credential' },
  };
  const UNKNOWN = {
    status: 401,
    challenge: 'Bearer',
    body: {
      error: 'the account or API key that the request is made on behalf of is not valid',
      code: 'on_behalf_unknown',
    },
  };

  describe('without an account', () => {
    it.each([
      ['agent', `Bearer ${AGENT}`],
      ['agent', `Bearer ${AGENT_NEXT}`],
      ['memo', `bearer  ${MEMO} `],
    ])('are accepted with each secret of %s', async (_service, authorization) => {
      for (const path of ['/plain', '/plain-or-session', '/either'])
        expect([path, await call(path, authorization)]).toMatchObject([path, { status: 200 }]);
    });

    it.each([
      newSecret(),
      AGENT.slice(0, -1),
      `${AGENT}x`,
      AGENT.toLowerCase(),
      `${AGENT},${AGENT_NEXT}`,
      'agent',
    ])('are not identified by Bearer %p', async (secret) => {
      for (const path of ['/plain', '/plain-or-session', '/on-behalf', '/either'])
        expect(await call(path, `Bearer ${secret}`, ofKey(user))).toEqual(INVALID);
    });

    it.each(['', AGENT, `ApiKey ${AGENT}`, `Basic ${AGENT}`])(
      'are not identified by the header "%s"',
      async (authorization) => {
        expect(await call('/plain', authorization)).toEqual(INVALID);
      },
    );

    it('are refused on customer routes, and customers are refused on service routes', async () => {
      expect(await call('/keys', `Bearer ${AGENT}`, ofKey(user))).toEqual(INVALID);
      expect(await call('/schemes', `Bearer ${AGENT}`)).toMatchObject({ status: 401 });
      expect(await call('/plain', `Bearer ${user.apiKey}`)).toEqual(INVALID);
      expect(await call('/plain-or-session', `Bearer ${user.apiKey}`)).toEqual({
        ...INVALID,
        body: { error: 'this route accepts a session token (Authorization: Bearer), not an API key' },
      });
    });

    it('have no caller and no role', async () => {
      expect(await call('/plain-asking-for-a-caller', `Bearer ${AGENT}`, ofKey(user))).toMatchObject({
        status: 500,
      });
      expect(await call('/plain-for-admins', `Bearer ${AGENT}`)).toMatchObject({ status: 403 });
    });
  });

  describe('on behalf of an account', () => {
    it('act as that account, with or without its key', async () => {
      const bounds = { spendLimitPicos: 5n, allowedModels: ['one'] };
      const { apiKeyId } = await insertApiKey(database.pool, user.accountId, bounds);
      const bounded = await call('/on-behalf', `Bearer ${MEMO}`, ofKey({ ...user, apiKeyId }));
      const apiKey = { id: apiKeyId, spendLimited: true, allowedModels: ['one'], reportsCost: true };
      const { accountId } = user;
      expect(bounded.body).toEqual({ accountId, role: 'user', apiKey, service: 'memo' });
      const plain = await call('/on-behalf', `Bearer ${AGENT_NEXT}`, of(user));
      expect(plain.body).toEqual({ accountId, role: 'user', service: 'agent' });
    });

    it('have the role of the account, and none with a key of it', async () => {
      const byRole = (account: TestAccount, named = of) =>
        call('/on-behalf-for-admins', `Bearer ${AGENT}`, named(account));
      expect(await byRole(admin)).toMatchObject({ status: 200, body: { role: 'admin', service: 'agent' } });
      expect(await byRole(user)).toMatchObject({ status: 403 });
      expect(await byRole(admin, ofKey)).toMatchObject({ status: 403 });
    });

    it('must name the account', async () => {
      const missing = {
        status: 400,
        challenge: null,
        body: { error: 'the header X-On-Behalf-Of is missing', code: 'on_behalf_missing' },
      };
      const keyAlone = { 'X-On-Behalf-Of-Key': user.apiKeyId };
      const namesNone: Record<string, string>[] = [{}, { 'X-On-Behalf-Of': '' }, keyAlone];
      for (const headers of namesNone)
        expect(await call('/on-behalf', `Bearer ${AGENT}`, headers)).toEqual(missing);
      expect(await call('/either', `Bearer ${AGENT}`, keyAlone)).toEqual(missing);
    });

    it('get another error for an unknown account or key than for a wrong secret', async () => {
      const { apiKeyId } = await insertApiKey(database.pool, user.accountId);
      await database.pool.query(
        'UPDATE accounts.api_keys SET key_hash = NULL, deleted_at = now() WHERE id = $1',
        [apiKeyId],
      );
      const named: Record<string, string>[] = [
        { 'X-On-Behalf-Of': 'acct_unknown' },
        { 'X-On-Behalf-Of': `${user.accountId}, ${user.accountId}` },
        { 'X-On-Behalf-Of': 'é\'"' },
        { 'X-On-Behalf-Of': 'x'.repeat(5_000) },
        ofKey({ ...user, apiKeyId: admin.apiKeyId }),
        ofKey({ ...user, apiKeyId }),
        ofKey({ ...user, apiKeyId: '' }),
        ofKey({ ...user, apiKeyId: user.apiKey.slice(0, 12) }),
      ];
      for (const headers of named) {
        const answer = await call('/on-behalf', `Bearer ${AGENT}`, headers);
        expect([headers, answer]).toEqual([headers, UNKNOWN]);
      }
    });

    it('may not be impersonated by a customer, even one that names its own account', async () => {
      const forbidden = {
        status: 403,
        challenge: null,
        body: {
          error: 'only the services of the platform may act on behalf of an account',
          code: 'on_behalf_forbidden',
        },
      };
      const keyAlone = { 'X-On-Behalf-Of-Key': user.apiKeyId };
      const naming: Record<string, string>[] = [
        of(admin),
        ofKey(admin),
        of(user),
        keyAlone,
        { 'X-On-Behalf-Of': '' },
      ];
      for (const headers of naming)
        expect(await call('/on-behalf', `Bearer ${user.apiKey}`, headers)).toEqual(forbidden);
      const unknown = await call('/on-behalf', `Bearer ${createApiKey().key}`, of(user));
      expect(unknown).toEqual(INVALID);
      const elsewhere = await call('/keys', `Bearer ${user.apiKey}`, ofKey(admin));
      expect(elsewhere).toMatchObject({ status: 200, body: { accountId: user.accountId } });
    });
  });

  describe('the scheme ApiKey', () => {
    it.each(['ApiKey', 'apikey', 'APIKEY', 'Bearer'])(
      'is accepted as "%s" on a route that allows it',
      async (scheme) => {
        const { status, body } = await call('/schemes', `${scheme} ${user.apiKey}`);
        expect([status, body]).toMatchObject([
          200,
          { accountId: user.accountId, apiKey: { id: user.apiKeyId } },
        ]);
      },
    );

    it('is in the challenge of a route that allows it, and is refused on other routes', async () => {
      const { key } = createApiKey();
      for (const secret of [key, AGENT, `${user.apiKey} x`, `${user.apiKey}x`])
        expect(await call('/schemes', `ApiKey ${secret}`)).toEqual({
          ...INVALID,
          challenge: 'Bearer, ApiKey',
        });
      const wrongScheme = 'an API key (Authorization: Bearer), not an API key (Authorization: ApiKey)';
      for (const path of ['/keys', '/on-behalf'])
        expect(await call(path, `ApiKey ${user.apiKey}`)).toEqual({
          ...INVALID,
          body: { error: `this route accepts ${wrongScheme}` },
        });
      expect(await call('/plain', `ApiKey ${user.apiKey}`)).toEqual(INVALID);
      expect(await call('/plain-or-session', `ApiKey ${user.apiKey}`)).toMatchObject({ status: 401 });
    });
  });
});
