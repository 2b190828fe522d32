import { decodeJwt } from 'jose';
import { TestConsole, TestSite } from '../../testing/console.fixture';
import { login, refresh, register, type SignedInBrowser } from '../refresh/refresh.fixture';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';
const PATH = '/api/auth/sessions';

interface Listed {
  id: string;
  device: string;
  ip_address: string | null;
  created_at: string;
  last_used_at: string;
  current: boolean;
}

let site: TestSite;

beforeAll(async () => (site = await TestSite.start()));
afterAll(() => site.stop());

const request: TestSite['console']['request'] = (...args) => site.console.request(...args);
const idOf = ({ token }: Pick<SignedInBrowser, 'token'>) => String(decodeJwt(token).sid);
const list = async ({ token }: Pick<SignedInBrowser, 'token'>) => {
  const { body } = await request('GET', PATH, { token });
  return (body as { sessions: Listed[] }).sessions;
};
const me = async ({ token }: SignedInBrowser) => (await request('GET', '/api/auth/me', { token })).status;
const eventsOf = async ({ accountId }: SignedInBrowser) => {
  const { rows } = await site.database.pool.query<{ type: string; details: object }>(
    `SELECT type, details FROM accounts.security_events
     WHERE account_id = $1 AND actor_id = $1 AND type LIKE 'session.%' ORDER BY created_at, id`,
    [accountId],
  );
  return rows.filter(({ type }) => type !== 'session.opened');
};

describe('the list of sessions', () => {
  it('shows device, address and times, newest use first', async () => {
    const first = await register(site.console);
    const second = await login(site.console, first, { 'User-Agent': FIREFOX });
    const answer = await request('GET', PATH, { token: first.token });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        sessions: [
          {
            id: idOf(second),
            device: 'Firefox on Linux',
            ip_address: expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/),
            created_at: expect.stringMatching(/Z$/),
            last_used_at: expect.stringMatching(/Z$/),
            current: false,
          },
          expect.objectContaining({ id: idOf(first), current: true }),
        ],
      },
    ]);
  });

  it('names the time, the address and the program of the last refresh', async () => {
    const proxied = await TestConsole.start(site.database.urlFor('console'), { TRUST_PROXY: 'loopback' });
    const first = await register(proxied);
    const second = await login(proxied, first);
    const [, before] = await list(second);
    await refresh(proxied, first.value, { 'X-Forwarded-For': '203.0.113.7', 'User-Agent': 'curl/8.14.1' });
    await proxied.close();
    const [newest] = await list(second);
    expect(newest).toMatchObject({
      id: idOf(first),
      device: 'curl',
      ip_address: '203.0.113.7',
      current: false,
    });
    expect(newest!.created_at).toBe(before!.created_at);
    expect(Date.parse(newest!.last_used_at)).toBeGreaterThan(Date.parse(before!.last_used_at));
  });

  it('leaves out ended and expired sessions and those of other accounts', async () => {
    const owner = await register(site.console);
    const ended = await login(site.console, owner);
    const expired = await login(site.console, owner);
    await register(site.console);
    await request('POST', '/api/auth/logout', { token: ended.token });
    await site.database.pool.query('UPDATE accounts.sessions SET expires_at = now() WHERE id = $1', [
      idOf(expired),
    ]);
    expect((await list(owner)).map(({ id }) => id)).toEqual([idOf(owner)]);
  });

  it('contains a session that an earlier version of the console has opened', async () => {
    const { token } = await site.signedIn();
    const [only] = await list({ token });
    expect(only).toMatchObject({ id: idOf({ token }), device: 'unknown', ip_address: null, current: true });
    expect(only!.last_used_at).toBe(only!.created_at);
  });

  it('has at most 100 sessions, the own one among them', async () => {
    const owner = await register(site.console);
    await site.database.pool.query(
      `INSERT INTO accounts.sessions (id, account_id, created_at, expires_at)
       SELECT 'sess_' || $1 || n, $2, now() + interval '1 minute', now() + interval '1 day' FROM generate_series(1, 120) n`,
      [idOf(owner).slice(5, 15), owner.accountId],
    );
    const sessions = await list(owner);
    expect(sessions).toHaveLength(100);
    expect(sessions.at(-1)).toMatchObject({ id: idOf(owner), current: true });
  });
});

describe('ending sessions', () => {
  it('ends one at once, with its refresh token', async () => {
    const owner = await register(site.console);
    const other = await login(site.console, owner);
    const answer = await request('DELETE', `${PATH}/${idOf(other)}`, { token: owner.token });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect([await me(owner), await me(other)]).toEqual([200, 401]);
    expect((await refresh(site.console, other.value)).status).toBe(401);
    expect(await eventsOf(owner)).toEqual([{ type: 'session.ended', details: { session_id: idOf(other) } }]);
    expect((await request('DELETE', `${PATH}/${idOf(other)}`, { token: owner.token })).status).toBe(404);
  });

  it('ends the own one', async () => {
    const owner = await register(site.console);
    expect((await request('DELETE', `${PATH}/${idOf(owner)}`, { token: owner.token })).status).toBe(204);
    expect([await me(owner), (await refresh(site.console, owner.value)).status]).toEqual([401, 401]);
  });

  it("is 404 for another account's, an expired and an unknown session", async () => {
    const owner = await register(site.console);
    const stranger = await register(site.console);
    const expired = await login(site.console, owner);
    await site.database.pool.query('UPDATE accounts.sessions SET expires_at = now() WHERE id = $1', [
      idOf(expired),
    ]);
    for (const id of [idOf(stranger), idOf(expired), 'sess_0', 'rubbish', '%00']) {
      const answer = await request('DELETE', `${PATH}/${id}`, { token: owner.token });
      expect([id, answer.status, answer.body]).toEqual([id, 404, { error: 'no such session' }]);
    }
    expect([await me(owner), await me(stranger)]).toEqual([200, 200]);
    expect(await eventsOf(owner)).toEqual([]);
  });

  it('ends all others', async () => {
    const owner = await register(site.console);
    const others = [await login(site.console, owner), await login(site.console, owner)];
    const stranger = await register(site.console);
    const answer = await request('DELETE', PATH, { token: owner.token });
    expect([answer.status, answer.text]).toEqual([204, '']);
    for (const other of others) {
      expect(await me(other)).toBe(401);
      expect((await refresh(site.console, other.value)).status).toBe(401);
    }
    expect([await me(owner), await me(stranger)]).toEqual([200, 200]);
    expect((await refresh(site.console, owner.value)).status).toBe(200);
    expect(await eventsOf(owner)).toEqual([{ type: 'session.others_ended', details: { count: 2 } }]);
  });

  it('leaves the session whose request came first if two end each other', async () => {
    const owner = await register(site.console);
    const all = [owner, await login(site.console, owner), await login(site.console, owner)];
    const answers = await Promise.all(all.map(({ token }) => request('DELETE', PATH, { token })));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401, 401]);
    const left = all[answers.findIndex(({ status }) => status === 204)]!;
    expect((await list(left)).map(({ id }) => id)).toEqual([idOf(left)]);
  });
});
