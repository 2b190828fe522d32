import { decodeJwt } from 'jose';
import { TestConsole, TestSite } from '../../testing/console.fixture';
import { cookieAttributes, cookieIn } from '../../testing/cookies.fixture';
import { eventTypes } from '../second-factor/two-factor.fixture';
import {
  endGrace,
  isRefreshCleared,
  login,
  PASSWORD,
  REFRESH,
  refresh,
  refreshValueIn,
  register,
} from './refresh.fixture';

interface Refreshed {
  token: string;
  expires_at: string;
  user: { id: string; email: string };
}

const REFUSED = { error: 'the session cannot be continued; sign in again' };
const FOREIGN = { error: 'the refresh cookie is not accepted from a page of another origin' };
const THIRTY_DAYS_MILLIS = 2_592_000_000;

let site: TestSite;

beforeAll(async () => (site = await TestSite.start()));
afterAll(() => site.stop());

const request: TestSite['console']['request'] = (...args) => site.console.request(...args);
const query = (text: string, values: unknown[] = []) => site.database.pool.query(text, values);
const me = async (token: string) => (await request('GET', '/api/auth/me', { token })).status;
const eventsOf = (accountId: string) => eventTypes(site, accountId);

describe('the refresh cookie', () => {
  const ATTRIBUTES = ['HttpOnly', 'Max-Age=2592000', `Path=${REFRESH}`, 'SameSite=Strict'];

  it('is set by a registration and a login, for its own path of the host only', async () => {
    const { email } = await register(site.console);
    const answers = [
      await request('POST', '/api/auth/register', { json: { email: `a.${email}`, password: PASSWORD } }),
      await request('POST', '/api/auth/login', { json: { identifier: email, password: PASSWORD } }),
    ];
    for (const answer of answers) {
      expect(refreshValueIn(answer)).toMatch(/^[\w-]{64}$/);
      expect(cookieAttributes(answer, 'refresh')).toEqual(ATTRIBUTES);
      expect(answer.text).not.toContain(refreshValueIn(answer));
    }
    const values = answers.map(refreshValueIn);
    expect(values[0]).not.toBe(values[1]);
  });

  it('is not set by a login that fails', async () => {
    const { email } = await register(site.console);
    const json = { identifier: email, password: 'wrong' };
    expect((await request('POST', '/api/auth/login', { json })).headers.getSetCookie()).toEqual([]);
  });

  it('is Secure in production, without the domain of the session cookie, and on the path of the public URL', async () => {
    const account = await register(site.console);
    const console = await TestConsole.start(site.database.urlFor('console'), {
      NODE_ENV: 'production',
      COOKIE_DOMAIN: 'platform.test',
      CONSOLE_URL: 'https://platform.test/console',
      REFRESH_COOKIE_NAME: 'continued',
      REFRESH_TTL_SECONDS: '3600',
    });
    const json = { identifier: account.email, password: PASSWORD };
    const answer = await console.request('POST', '/api/auth/login', { json });
    await console.close();
    expect(cookieAttributes(answer, '__Secure-continued')).toEqual([
      'HttpOnly',
      'Max-Age=3600',
      'Path=/console/api/auth/refresh',
      'SameSite=Strict',
      'Secure',
    ]);
  });

  it('is stored as a hash only', async () => {
    const { value, accountId } = await register(site.console);
    const next = refreshValueIn(await refresh(site.console, value));
    const { rows } = await query(
      `SELECT t::text AS stored FROM accounts.refresh_tokens t JOIN accounts.sessions s ON s.id = t.session_id
       WHERE s.account_id = $1`,
      [accountId],
    );
    expect(rows).toHaveLength(1);
    for (const text of [value, next]) {
      const bytes = Buffer.from(text, 'base64url');
      for (const part of [bytes, bytes.subarray(0, 16), bytes.subarray(16)])
        expect(rows[0].stored).not.toContain(part.toString('hex'));
    }
  });
});

describe('a refresh', () => {
  it('answers with a new token of the same session and a new cookie', async () => {
    const { accountId, email, token, value } = await register(site.console);
    const answer = await refresh(site.console, value);
    expect([answer.status, answer.body]).toEqual([
      200,
      { token: expect.any(String), expires_at: expect.stringMatching(/Z$/), user: { id: accountId, email } },
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const body = answer.body as Refreshed;
    const claims = decodeJwt(body.token);
    expect(claims).toMatchObject({ sub: accountId, sid: decodeJwt(token).sid });
    expect(claims.exp! - claims.iat!).toBe(1800);
    expect(Date.parse(body.expires_at)).toBe(claims.exp! * 1000);
    expect(await me(body.token)).toBe(200);
    expect(refreshValueIn(answer)).not.toBe(value);
    expect(cookieIn(answer, 'session')).toBe(`session=${body.token}`);
    expect(answer.text).not.toContain(refreshValueIn(answer));
  });

  it('begins the life of the session anew', async () => {
    const { accountId, value } = await register(site.console);
    const expiry = async () =>
      (await query('SELECT expires_at FROM accounts.sessions WHERE account_id = $1', [accountId])).rows[0]
        .expires_at as Date;
    await query(
      "UPDATE accounts.sessions SET expires_at = now() + interval '1 minute' WHERE account_id = $1",
      [accountId],
    );
    const before = Date.now();
    expect((await refresh(site.console, value)).status).toBe(200);
    expect((await expiry()).getTime()).toBeGreaterThan(before + THIRTY_DAYS_MILLIS - 60_000);
  });

  it('goes on after the token of the sign-in has expired', async () => {
    const { value } = await register(site.console);
    let present = value;
    for (let round = 0; round < 5; round++) {
      const answer = await refresh(site.console, present);
      expect(answer.status).toBe(200);
      expect(refreshValueIn(answer)).not.toBe(present);
      present = refreshValueIn(answer);
      await endGrace(site);
    }
  });

  it.each([
    ['no cookie', undefined],
    ['an empty one', ''],
    ['another form', 'rubbish'],
    ['an unknown value', 'A'.repeat(64)],
  ])('is 401 for %s, and clears the cookie', async (_name, value) => {
    const answer = await refresh(site.console, value);
    expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    expect(isRefreshCleared(answer)).toBe(true);
    expect(cookieIn(answer, 'session')).toBeUndefined();
  });

  it('is 401 for an expired session', async () => {
    const { accountId, value } = await register(site.console);
    await query('UPDATE accounts.sessions SET expires_at = now() WHERE account_id = $1', [accountId]);
    const answer = await refresh(site.console, value);
    expect([answer.status, answer.body, isRefreshCleared(answer)]).toEqual([401, REFUSED, true]);
    expect(await eventsOf(accountId)).toEqual(['account.created', 'session.opened']);
  });

  it('is 400 for a body with fields or a parameter', async () => {
    const { value } = await register(site.console);
    const headers = { Cookie: `refresh=${value}` };
    const answer = await request('POST', REFRESH, { json: { refresh_token: value }, headers });
    expect(answer.status).toBe(400);
    expect((await request('POST', `${REFRESH}?now=1`, { headers })).status).toBe(400);
    expect((await request('POST', REFRESH, { json: {}, headers })).status).toBe(200);
  });

  it('is 503 while the database is away, and keeps the cookie', async () => {
    const { value } = await register(site.console);
    const away = await TestConsole.start('postgres://console@127.0.0.1:1/platform');
    const answer = await refresh(away, value);
    await away.close();
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([503, []]);
  });

  it('is 429 after 300 a minute of one address, counted apart from sign-ins', async () => {
    const limited = await TestConsole.start(site.database.urlFor('console'), {
      RATE_LIMIT_MULTIPLIER: '0.1',
    });
    const statuses: number[] = [];
    for (let n = 0; n < 31; n++) statuses.push((await refresh(limited, undefined)).status);
    const json = { identifier: 'nobody', password: PASSWORD };
    const signIn = await limited.request('POST', '/api/auth/login', { json });
    await limited.close();
    expect(statuses).toEqual([...Array<number>(30).fill(401), 429]);
    expect(signIn.status).toBe(401);
  });
});

describe('the origin of a refresh', () => {
  const OWN = 'http://console.test';

  it.each([
    ['another origin', { Origin: 'https://evil.example' }],
    ['an opaque origin', { Origin: 'null' }],
    ['another port of the host', { Origin: 'http://console.test:8080' }],
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another host of the site', { 'Sec-Fetch-Site': 'same-site' }],
    ['another origin that says so twice', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
  ])('may not be %s: 403, and the cookie stays valid', async (_name, headers) => {
    const { value } = await register(site.console);
    const answer = await refresh(site.console, value, headers as Record<string, string>);
    expect([answer.status, answer.body, answer.headers.getSetCookie()]).toEqual([403, FOREIGN, []]);
    expect((await refresh(site.console, value)).status).toBe(200);
  });

  it('may be that of the console, of its pages or of CORS_ORIGINS, or be absent', async () => {
    const console = await TestConsole.start(site.database.urlFor('console'), {
      CONSOLE_UI_URL: 'https://ui.test/app',
      CORS_ORIGINS: 'https://partner.test',
    });
    const allowed: Record<string, string>[] = [
      {},
      { Origin: OWN },
      { Origin: 'https://ui.test', 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://partner.test', 'Sec-Fetch-Site': 'cross-site' },
      { Origin: console.url },
      { 'Sec-Fetch-Site': 'same-origin' },
    ];
    const { value } = await register(console);
    for (const headers of allowed)
      expect([headers, (await refresh(console, value, headers)).status]).toEqual([headers, 200]);
    expect((await refresh(console, value, { Origin: 'https://ui.test:444' })).status).toBe(403);
    await console.close();
  });

  it('may not be any if CORS_ORIGINS is *', async () => {
    const console = await TestConsole.start(site.database.urlFor('console'), { CORS_ORIGINS: '*' });
    const { value } = await register(console);
    expect((await refresh(console, value, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await refresh(console, value, { Origin: OWN })).status).toBe(200);
    await console.close();
  });
});

describe('a value that was replaced', () => {
  it('is answered with the same new one for ten seconds', async () => {
    const { value, accountId } = await register(site.console);
    const next = refreshValueIn(await refresh(site.console, value));
    const almostEndGrace = () =>
      query(
        "UPDATE accounts.refresh_tokens SET replaced_at = now() - interval '9 seconds' WHERE replaced_at IS NOT NULL",
      );
    for (let n = 0; n < 3; n++) {
      await almostEndGrace();
      const again = await refresh(site.console, value);
      expect([again.status, refreshValueIn(again)]).toEqual([200, next]);
    }
    // Meanwhile the new one is not replaced, so that answers in another order leave the browser with a valid value.
    await almostEndGrace();
    expect(refreshValueIn(await refresh(site.console, next))).toBe(next);
    await endGrace(site);
    const later = refreshValueIn(await refresh(site.console, next));
    expect(later).not.toBe(next);
    expect(await eventsOf(accountId)).toEqual(['account.created', 'session.opened']);
  });

  it('ends the whole session when it comes later, with an audit event', async () => {
    const owner = await register(site.console);
    const other = await login(site.console, owner);
    const next = await refresh(site.console, owner.value);
    const { token } = next.body as Refreshed;
    await endGrace(site);
    const reused = await refresh(site.console, owner.value, { 'User-Agent': 'thief/1.0' });
    expect([reused.status, reused.body, isRefreshCleared(reused)]).toEqual([401, REFUSED, true]);
    expect([await me(owner.token), await me(token), await me(other.token)]).toEqual([401, 401, 200]);
    expect((await refresh(site.console, refreshValueIn(next))).status).toBe(401);
    expect((await refresh(site.console, other.value)).status).toBe(200);
    const { rows } = await query(
      `SELECT actor_id, user_agent, details FROM accounts.security_events
       WHERE account_id = $1 AND type = 'session.refresh_token_reused'`,
      [owner.accountId],
    );
    expect(rows).toEqual([
      { actor_id: null, user_agent: 'thief/1.0', details: { session_id: decodeJwt(owner.token).sid } },
    ]);
  });

  it('ends the session however long ago it was replaced', async () => {
    const { value, token } = await register(site.console);
    let present = value;
    for (let round = 0; round < 3; round++) {
      present = refreshValueIn(await refresh(site.console, present));
      await endGrace(site);
    }
    expect((await refresh(site.console, present)).status).toBe(200);
    // In the grace period of another value too.
    expect((await refresh(site.console, value)).status).toBe(401);
    expect(await me(token)).toBe(401);
  });

  it('of a session that has ended is no event', async () => {
    const { value, token, accountId } = await register(site.console);
    await refresh(site.console, value);
    await endGrace(site);
    await request('POST', '/api/auth/logout', { token });
    expect((await refresh(site.console, value)).status).toBe(401);
    expect(await eventsOf(accountId)).toEqual(['account.created', 'session.opened', 'session.ended']);
  });
});
