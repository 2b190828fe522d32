import { SESSION_AUDIENCE, sessionIssuer } from '@inference/guards';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { waitFor } from '@inference/testing';
import { cookieAttributes, cookieIn } from '../../testing/cookies.fixture';
import {
  type Answer,
  newSigningKey,
  SIGNING_KEY,
  TestConsole,
  TestSite,
} from '../../testing/console.fixture';

const PASSWORD = 'correct horse battery';
const OTHER_KEY = newSigningKey('other-key');

interface Session {
  token: string;
  user: { id: string; email: string };
}
const session = (answer: Answer) => answer.body as Session;

describe('registering', () => {
  let site: TestSite;
  const register = (json: unknown) => site.console.request('POST', '/api/auth/register', { json });

  beforeAll(async () => (site = await TestSite.start()));
  afterAll(() => site.stop());

  it('makes an account with an empty wallet and signs it in', async () => {
    const answer = await register({
      email: ' Ann@Example.com ',
      password: PASSWORD,
      phone: '+1 (415) 555-0123',
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      token: expect.any(String),
      user: { id: expect.any(String), email: 'ann@example.com' },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { token, user } = session(answer);
    const me = await site.console.request('GET', '/api/auth/me', { token });
    expect(me.body).toEqual({
      id: user.id,
      email: 'ann@example.com',
      email_verified: false,
      phone: '+14155550123',
      username: null,
      role: 'user',
      language: 'en',
      time_zone: 'UTC',
      stores_responses: false,
      has_password: true,
      accepted_terms: null,
      two_factor_enabled: false,
      second_factor_required: false,
      staff_routes: [],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const settings = await site.console.request('GET', '/api/billing/settings', { token });
    expect(settings.body).toMatchObject({ balance: 0, currency: 'USD' });
  });

  it('stores the argon2id hash of the password only', async () => {
    await register({ email: 'hash@example.com', password: PASSWORD });
    const { rows } = await site.database.pool.query<{ password_hash: string }>(
      "SELECT password_hash FROM accounts.accounts WHERE email = 'hash@example.com'",
    );
    expect(rows[0]!.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('is 409 when the e-mail address, phone number or username is taken', async () => {
    const taken = { email: 'taken@example.com', phone: '+14155550199', username: 'taken' };
    expect((await register({ ...taken, password: PASSWORD })).status).toBe(201);
    for (const clash of [
      { email: 'TAKEN@example.com' },
      { email: 'b@example.com', phone: '+1-415-555-0199' },
      { email: 'c@example.com', username: 'Taken' },
    ]) {
      const answer = await register({ ...clash, password: PASSWORD });
      expect([answer.status, answer.body]).toEqual([409, { error: expect.any(String) }]);
    }
  });

  it('gives an address to one of several concurrent registrations', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => register({ email: 'race@example.com', password: PASSWORD })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  it.each([
    [{ password: PASSWORD }, 'email'],
    [{ email: 'nobody', password: PASSWORD }, 'email'],
    [{ email: ['a@example.com'], password: PASSWORD }, 'email'],
    [{ email: `${'a'.repeat(250)}@example.com`, password: PASSWORD }, 'email'],
    [{ email: 'a@example.com' }, 'password'],
    [{ email: 'a@example.com', password: 'seven77' }, 'password'],
    [{ email: 'a@example.com', password: 'x'.repeat(257) }, 'password'],
    [{ email: 'a@example.com', password: 12345678 }, 'password'],
    [{ email: 'a@example.com', password: `${PASSWORD}\0` }, 'password'],
    [{ email: 'a@example.com', password: PASSWORD, phone: '0123' }, 'phone'],
    [{ email: 'a@example.com', password: PASSWORD, username: '+1' }, 'username'],
    [{ email: 'a@example.com', password: PASSWORD, language: 'fr' }, 'language'],
    [{ email: 'a@example.com', password: PASSWORD, role: 'admin' }, 'role'],
  ])('is 400 for %j', async (body, field) => {
    const answer = await register(body);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(`${field}: `) }]);
  });

  it('accepts passwords of any script in any Unicode composition', async () => {
    const passwords = [
      ['密码密码密码密码', '密码密码密码密码'],
      ['пароль пароль', 'пароль пароль'],
      ['caf\u00e9 caf\u00e9', 'cafe\u0301 cafe\u0301'],
    ];
    for (const [index, [chosen, typed]] of passwords.entries()) {
      const email = `script${index}@example.com`;
      expect((await register({ email, password: chosen })).status).toBe(201);
      const json = { identifier: email, password: typed };
      expect((await site.console.request('POST', '/api/auth/login', { json })).status).toBe(200);
    }
    expect((await register({ email: 'half@example.com', password: 'half a \ud800 pair' })).status).toBe(400);
  });

  it.each([
    ['用户@例子.example', '用户@XN--FSQU00A.example'],
    ['Jörg@MÜLLER.example', ' jo\u0308rg@xn--mller-kva.example'],
    ["!#$%&'*+/=?^_`{|}~-.x@example.com", "!#$%&'*+/=?^_`{|}~-.X@ｅｘａｍｐｌｅ．ｃｏｍ"],
    ['ΑΣ@παράδειγμα.example', 'ας@ΠΑΡΆΔΕΙΓΜΑ.example'],
    ['İıẞ@example.com', 'i\u0307ıß@example.com'],
    ['Ᏸꭰ@example.com', 'ᏸᎠ@example.com'],
  ])('has one account for %s and %s', async (email, spelling) => {
    expect((await register({ email, password: PASSWORD })).status).toBe(201);
    expect((await register({ email: spelling, password: PASSWORD })).status).toBe(409);
    const json = { identifier: spelling, password: PASSWORD };
    expect((await site.console.request('POST', '/api/auth/login', { json })).status).toBe(200);
  });

  it('is 403 if sign-up is closed', async () => {
    const closed = await TestConsole.start(site.database.urlFor('console'), { SIGNUP: 'closed' });
    const json = { email: 'late@example.com', password: PASSWORD };
    const answer = await closed.request('POST', '/api/auth/register', { json });
    await closed.close();
    expect([answer.status, answer.body]).toEqual([403, { error: expect.any(String) }]);
  });
});

describe('terms of use', () => {
  const TERMS = { TERMS_URL: 'https://www.example.com/terms', TERMS_VERSION: '2026-11' };
  const PAGE = '2026-11, which can be read at https://www.example.com/terms';
  let site: TestSite;
  let withTerms: TestConsole;
  const register = (target: TestConsole, name: string, more: object) =>
    target.request('POST', '/api/auth/register', {
      json: { email: `${name}@example.com`, password: PASSWORD, ...more },
    });
  const termsOf = async (token: string) =>
    ((await withTerms.request('GET', '/api/auth/me', { token })).body as { accepted_terms: unknown })
      .accepted_terms;

  beforeAll(async () => {
    site = await TestSite.start();
    withTerms = await TestConsole.start(site.database.urlFor('console'), TERMS);
  });
  afterAll(async () => {
    await withTerms.close();
    await site.stop();
  });

  it('are accepted with their version at a registration, which is recorded with the time', async () => {
    const before = Date.now();
    const answer = await register(withTerms, 'agrees', { accepted_terms: '2026-11' });
    expect(answer.status).toBe(201);
    const accepted = (await termsOf(session(answer).token)) as { version: string; accepted_at: string };
    expect(accepted.version).toBe('2026-11');
    expect(Math.abs(Date.parse(accepted.accepted_at) - before)).toBeLessThan(60_000);
  });

  it.each([
    [{}, `accepted_terms: must be the version of the terms of use that is accepted: ${PAGE}`],
    [
      { accepted_terms: '2025-01' },
      `accepted_terms: is not the current version of the terms of use: ${PAGE}`,
    ],
    [{ accepted_terms: '' }, expect.stringContaining('accepted_terms: ')],
    [{ accepted_terms: true }, expect.stringContaining('accepted_terms: ')],
    [{ accepted_terms: null }, expect.stringContaining('accepted_terms: ')],
  ])('refuse a registration with %j', async (more, error) => {
    const answer = await register(withTerms, 'refuses', more);
    expect([answer.status, answer.body]).toEqual([400, { error }]);
    const { rows } = await site.database.pool.query(
      "SELECT FROM accounts.accounts WHERE email = 'refuses@example.com'",
    );
    expect(rows).toEqual([]);
  });

  it('cannot be accepted where there are none', async () => {
    const error = 'accepted_terms: must be absent, because this site has no terms to accept';
    const answer = await register(site.console, 'nothing', { accepted_terms: '2026-11' });
    expect([answer.status, answer.body]).toEqual([400, { error }]);
  });

  it('are accepted later by an account that has not, and again after they have changed', async () => {
    const { token } = session(await register(site.console, 'later', {}));
    const accept = (target: TestConsole, version: string) =>
      target.request('PATCH', '/api/auth/me', { token, json: { accepted_terms: version } });
    expect(await termsOf(token)).toBeNull();
    expect((await accept(withTerms, '2025-01')).status).toBe(400);
    const first = await accept(withTerms, '2026-11');
    expect(first.body).toMatchObject({ accepted_terms: { version: '2026-11' } });
    // The first time counts.
    expect((await accept(withTerms, '2026-11')).body).toEqual(first.body);

    const changed = await TestConsole.start(site.database.urlFor('console'), {
      ...TERMS,
      TERMS_VERSION: '2027-01',
    });
    expect((await accept(changed, '2026-11')).status).toBe(400);
    expect((await accept(changed, '2027-01')).body).toMatchObject({ accepted_terms: { version: '2027-01' } });
    await changed.close();
    const { rows } = await site.database.pool.query(
      `SELECT version FROM accounts.terms_acceptances JOIN accounts.accounts ON id = account_id
       WHERE email = 'later@example.com' ORDER BY accepted_at`,
    );
    expect(rows).toEqual([{ version: '2026-11' }, { version: '2027-01' }]);
  });
});

describe('logging in', () => {
  let site: TestSite;
  const login = (identifier: unknown, password: unknown = PASSWORD) =>
    site.console.request('POST', '/api/auth/login', { json: { identifier, password } });
  const me = (token: string) => site.console.request('GET', '/api/auth/me', { token });

  beforeAll(async () => {
    site = await TestSite.start();
    const json = { email: 'ann@example.com', password: PASSWORD, phone: '+14155550123', username: 'ann' };
    await site.console.request('POST', '/api/auth/register', { json });
  });
  afterAll(() => site.stop());

  it.each(['ann@example.com', 'ANN@Example.COM', '+14155550123', '+1 415 555-0123', 'ann', 'Ann'])(
    'accepts %s',
    async (identifier) => {
      const answer = await login(identifier);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        token: expect.any(String),
        user: { id: expect.any(String), email: 'ann@example.com' },
      });
      expect((await me(session(answer).token)).status).toBe(200);
    },
  );

  it.each([
    ['ann@example.com', 'wrong password'],
    ['nobody@example.com', PASSWORD],
    ["' OR 1=1 --", PASSWORD],
    ['ann@example.com', `${PASSWORD} `],
  ])('is 401 for %s with %s', async (identifier, password) => {
    const answer = await login(identifier, password);
    expect([answer.status, answer.body]).toEqual([401, { error: 'the identifier or the password is wrong' }]);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each([
    [undefined, PASSWORD],
    ['', PASSWORD],
    [7, PASSWORD],
    [{ email: 'a' }, PASSWORD],
    ['ann\0', PASSWORD],
    ['a'.repeat(255), PASSWORD],
    ['ann', ''],
    ['ann', null],
    ['ann', 'x'.repeat(257)],
  ])('is 400 for %j with %j', async (identifier, password) => {
    expect((await login(identifier, password)).status).toBe(400);
  });

  it('takes as long for an unknown account as for a known one', async () => {
    await site.signedIn();
    const { rows } = await site.database.pool.query<{ email: string }>(
      'SELECT email FROM accounts.accounts WHERE password_hash IS NULL LIMIT 1',
    );
    const timed = async (identifier: string) => {
      const startedAt = performance.now();
      expect((await login(identifier, 'wrong password')).status).toBe(401);
      return performance.now() - startedAt;
    };
    const identifiers = ['ann@example.com', 'nobody@example.com', rows[0]!.email];
    const fastest = identifiers.map(() => Infinity);
    const areAlike = () => Math.max(...fastest) < 2 * Math.min(...fastest);
    // A busy machine only adds time, so the shortest time is that of the work itself.
    for (let round = 0; round < 8 || (round < 200 && !areAlike()); round++) {
      for (const [i, identifier] of identifiers.entries())
        fastest[i] = Math.min(fastest[i]!, await timed(identifier));
    }
    expect(areAlike()).toBe(true);
  });

  it('sets the session as an HttpOnly cookie', async () => {
    const answer = await login('ann@example.com');
    expect(cookieIn(answer, 'session')).toBe(`session=${session(answer).token}`);
    expect(cookieAttributes(answer, 'session')).toEqual([
      'HttpOnly',
      'Max-Age=1800',
      'Path=/',
      'SameSite=Lax',
    ]);
  });

  it('sets a Secure cookie in production, for COOKIE_DOMAIN', async () => {
    const production = await TestConsole.start(site.database.urlFor('console'), {
      NODE_ENV: 'production',
      COOKIE_DOMAIN: 'platform.test',
    });
    const json = { identifier: 'ann', password: PASSWORD };
    const answer = await production.request('POST', '/api/auth/login', { json });
    const out = await production.request('POST', '/api/auth/logout', { token: session(answer).token });
    await production.close();
    for (const { headers } of [answer, out]) {
      expect(headers.getSetCookie()[0]).toMatch(
        /^__Secure-session=.*; Domain=platform\.test; .*HttpOnly; Secure; SameSite=Lax$/,
      );
    }
  });

  it('sets a cookie of its own host only in production without COOKIE_DOMAIN, and removes the former one', async () => {
    const production = await TestConsole.start(site.database.urlFor('console'), { NODE_ENV: 'production' });
    const json = { identifier: 'ann', password: PASSWORD };
    const answer = await production.request('POST', '/api/auth/login', { json });
    const out = await production.request('POST', '/api/auth/logout', { token: session(answer).token });
    await production.close();
    expect(cookieIn(answer, '__Host-session')).toBe(`__Host-session=${session(answer).token}`);
    for (const each of [answer, out]) {
      expect(cookieAttributes(each, '__Host-session').filter((text) => !text.startsWith('Max-Age='))).toEqual(
        ['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure'],
      );
      const names = each.headers.getSetCookie().map((line) => line.split('=')[0]);
      expect(names.sort()).toEqual(['__Host-session', '__Secure-refresh', 'refresh', 'session']);
    }
    for (const former of ['session', 'refresh']) expect(cookieIn(answer, former)).toBeUndefined();
  });

  it('signs tokens that the published keys verify', async () => {
    const { token, user } = session(await login('ann'));
    const jwks = await site.console.request('GET', '/.well-known/jwks.json');
    expect(jwks.headers.get('cache-control')).toBe('public, max-age=60');
    expect(jwks.body).toEqual({
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          x: SIGNING_KEY.x,
          y: SIGNING_KEY.y,
          kid: 'test-key',
          alg: 'ES256',
          use: 'sig',
        },
      ],
    });
    const { payload } = await jwtVerify(token, createLocalJWKSet(jwks.body as JSONWebKeySet));
    expect(payload).toMatchObject({
      sub: user.id,
      iss: sessionIssuer('intl'),
      aud: SESSION_AUDIENCE,
      sid: expect.any(String),
    });
    expect(payload.exp! - payload.iat!).toBe(1800);
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', kid: 'test-key' });
  });

  it('signs with the first key and accepts all keys', async () => {
    const { token } = session(await login('ann'));
    const rotated = await TestConsole.start(site.database.urlFor('console'), {
      SESSION_SIGNING_KEYS: JSON.stringify([OTHER_KEY, SIGNING_KEY]),
    });
    const json = { identifier: 'ann', password: PASSWORD };
    const fresh = session(await rotated.request('POST', '/api/auth/login', { json })).token;
    expect(decodeProtectedHeader(fresh).kid).toBe('other-key');
    expect((await rotated.request('GET', '/api/auth/me', { token })).status).toBe(200);
    expect((await rotated.request('GET', '/api/auth/me', { token: fresh })).status).toBe(200);
    await rotated.close();
    expect((await me(fresh)).status).toBe(401);
  });

  it('changes the language of mails', async () => {
    const { token } = session(await login('ann'));
    const change = (json: unknown) => site.console.request('PATCH', '/api/auth/me', { token, json });
    const answer = await change({ language: 'zh-CN' });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(answer.body).toMatchObject({ email: 'ann@example.com', language: 'zh-CN' });
    expect((await me(token)).body).toEqual(answer.body);
    expect((await change({})).body).toEqual(answer.body);
    for (const language of ['zh', 'de', null, 1]) expect((await change({ language })).status).toBe(400);
    expect((await change({ language: 'en' })).body).toMatchObject({ language: 'en' });
  });

  it('stores responses only after its owner has agreed, and records each change once', async () => {
    const { token, user } = session(await login('ann'));
    const change = (stores: unknown) =>
      site.console.request('PATCH', '/api/auth/me', { token, json: { stores_responses: stores } });
    const setAt = async () => {
      const { rows } = await site.database.pool.query<{ at: Date | null }>(
        'SELECT stores_responses_set_at AS at FROM accounts.accounts WHERE id = $1',
        [user.id],
      );
      return rows[0]!.at?.getTime() ?? 0;
    };
    expect([(await change(false)).body, await setAt()]).toMatchObject([{ stores_responses: false }, 0]);
    expect((await change(true)).body).toMatchObject({ stores_responses: true });
    const agreedAt = await setAt();
    expect((await change(true)).body).toMatchObject({ stores_responses: true });
    // What is stored since then stays.
    expect([agreedAt > 0, await setAt()]).toEqual([true, agreedAt]);
    expect((await change(false)).body).toMatchObject({ stores_responses: false });
    expect(await setAt()).toBeGreaterThan(agreedAt);
    expect((await change('yes')).status).toBe(400);
    const { body } = await site.console.request('GET', '/api/auth/events', { token });
    const types = (body as { events: { type: string }[] }).events.map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('response_storage'))).toEqual([
      'response_storage.disabled',
      'response_storage.enabled',
    ]);
  });

  it('signs tokens of the configured life', async () => {
    const brief = await TestConsole.start(site.database.urlFor('console'), { SESSION_TTL_SECONDS: '2' });
    const json = { identifier: 'ann', password: PASSWORD };
    const { token } = session(await brief.request('POST', '/api/auth/login', { json }));
    const { exp = 0, iat = 0, sid } = decodeJwt(token);
    expect(exp - iat).toBe(2);
    const { rows } = await site.database.pool.query<{ expires_at: Date }>(
      'SELECT expires_at FROM accounts.sessions WHERE id = $1',
      [sid],
    );
    // The session lives as long as its refresh token: thirty days.
    expect(rows[0]!.expires_at.getTime()).toBe((iat + 2_592_000) * 1000);
    await waitFor(async () => (await brief.request('GET', '/api/auth/me', { token })).status === 401);
    await brief.close();
  });
});
