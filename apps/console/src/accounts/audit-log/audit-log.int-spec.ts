import { TestPool } from '@inference/testing';
import { type Answer, type SignedIn, TestSite } from '../../testing/console.fixture';

const PASSWORD = 'correct horse battery';

interface Event {
  id: string;
  type: string;
  account_id: string | null;
  actor: string | null;
  actor_id: string | null;
  address: string | null;
  user_agent: string | null;
  details: Record<string, unknown>;
  created_at: string;
}

let site: TestSite;
let admin: SignedIn;

beforeAll(async () => {
  site = await TestSite.start();
  admin = await site.signedIn('admin');
});
afterAll(() => site.stop());

const get = (path: string, token: string) => site.console.request('GET', path, { token });
const eventsIn = ({ body }: Answer) => (body as { events: Event[]; next_cursor: string | null }).events;
const cursorIn = ({ body }: Answer) => (body as { next_cursor: string | null }).next_cursor;

async function register(email: string) {
  const headers = { 'User-Agent': 'A browser' };
  const json = { email, password: PASSWORD };
  const { body } = await site.console.request('POST', '/api/auth/register', { json, headers });
  return body as { token: string; user: { id: string } };
}

describe('audit events', () => {
  it('say who did what, when and from where', async () => {
    const { token, user } = await register('who@example.com');
    const login = { identifier: 'who@example.com', password: 'a wrong password' };
    await site.console.request('POST', '/api/auth/login', { json: login });
    const key = await site.console.request('POST', '/api/api-keys', { token, json: { name: 'k' } });
    const { id: keyId } = key.body as { id: string };
    await site.console.request('DELETE', `/api/api-keys/${keyId}`, { token });
    const answer = await get('/api/auth/events', token);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const events = eventsIn(answer);
    expect(events.map(({ type, actor }) => [type, actor])).toEqual([
      ['api_key.deleted', 'self'],
      ['api_key.created', 'self'],
      ['login.failed', null],
      ['session.opened', 'self'],
      ['account.created', 'self'],
    ]);
    expect(events[4]).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'account.created',
      account_id: user.id,
      actor: 'self',
      actor_id: user.id,
      address: '127.0.0.1',
      user_agent: 'A browser',
      details: {},
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(events[0]!.details).toEqual({ api_key_id: keyId });
    expect(answer.text).not.toContain(PASSWORD);
  });

  it('are visible to their own account only', async () => {
    const [ann, ben] = [await register('ann@example.com'), await register('ben@example.com')];
    for (const { token, user } of [ann, ben]) {
      const owners = eventsIn(await get('/api/auth/events', token)).map((event) => event.account_id);
      expect(new Set(owners)).toEqual(new Set([user.id]));
    }
  });

  it('tell an account that an admin acted, but not which one or from where', async () => {
    const { token, user } = await register('credited@example.com');
    const json = { account_id: user.id, amount: 5, description: 'Credit' };
    const headers = { 'Idempotency-Key': 'once' };
    for (let n = 0; n < 2; n++)
      await site.console.request('POST', '/api/admin/billing/adjustments', {
        token: admin.token,
        json,
        headers,
      });
    const [event, next] = eventsIn(await get('/api/auth/events', token));
    expect(event).toMatchObject({
      type: 'admin.adjustment_posted',
      actor: 'admin',
      actor_id: null,
      address: null,
      user_agent: null,
      details: { amount: '5', transaction_id: expect.stringMatching(/^txn_/) },
    });
    expect(next!.type).toBe('session.opened');
    const [seen] = eventsIn(await get(`/api/admin/events?account_id=${user.id}`, admin.token));
    expect(seen).toMatchObject({ actor: 'admin', actor_id: admin.accountId, address: '127.0.0.1' });
  });

  it('admins see the events of all accounts, and failed sign-ins with unknown identifiers', async () => {
    const json = { identifier: 'is.this@nobody.example', password: PASSWORD };
    await site.console.request('POST', '/api/auth/login', { json });
    const failed = eventsIn(await get('/api/admin/events?type=login.failed', admin.token));
    expect(failed[0]).toMatchObject({ type: 'login.failed', account_id: null, actor: null });
    expect(new Set(failed.map(({ type }) => type))).toEqual(new Set(['login.failed']));
    expect(JSON.stringify(failed)).not.toContain('is.this');
    const prices = { token: admin.token, json: { gpus: [] } };
    await site.console.request('PUT', '/api/admin/billing/pricing/gpus', prices);
    const [published] = eventsIn(await get('/api/admin/events', admin.token));
    expect(published).toMatchObject({
      type: 'admin.prices_published',
      account_id: admin.accountId,
      details: { list: 'gpus', rows: 0 },
    });
  });

  it('are found by who acted and when', async () => {
    const { user, token } = await register('range@example.com');
    await site.database.pool.query(
      `INSERT INTO accounts.security_events (id, account_id, actor_id, type, created_at)
       SELECT 'evt_range' || n, $1, CASE WHEN n % 2 = 0 THEN $2 ELSE $1 END, 'session.ended',
         '2020-01-01T00:00:00Z'::timestamptz + make_interval(days => n)
       FROM generate_series(0, 5) n`,
      [user.id, admin.accountId],
    );
    const idsOf = async (query: string) =>
      eventsIn(await get(`/api/admin/events?${query}`, admin.token)).map(({ id }) => id);
    const range = 'from=2020-01-02&to=2020-01-05';
    expect(await idsOf(range)).toEqual(['evt_range3', 'evt_range2', 'evt_range1']);
    expect(await idsOf(`${range}&actor_id=${admin.accountId}`)).toEqual(['evt_range2']);
    expect(await idsOf(`${range}&time_zone=America/New_York&actor_id=${user.id}`)).toEqual(['evt_range3']);
    const path = `/api/admin/events?${range}&actor_id=${user.id}`;
    const headers = { Accept: 'text/csv' };
    const csv = await site.console.request('GET', path, { token: admin.token, headers });
    expect(csv.text.match(/evt_range\d/g)).toEqual(['evt_range3', 'evt_range1']);
    const first = await get(`${path}&limit=1`, admin.token);
    const other = `/api/admin/events?to=2020-01-05&limit=1&cursor=${cursorIn(first)}`;
    expect((await get(other, admin.token)).status).toBe(400);
    expect((await get(path, token)).status).toBe(403);
  });

  it('are listed in pages that new events do not shift', async () => {
    const { token, user } = await register('pages@example.com');
    const insert = (count: number) =>
      site.database.pool.query(
        `INSERT INTO accounts.security_events (id, account_id, type, created_at)
         SELECT 'evt_page' || $2::text || n, $1, 'session.ended', now() FROM generate_series(1, $2::int) n`,
        [user.id, count],
      );
    await insert(7);
    const first = await get('/api/auth/events?limit=4', token);
    await insert(3);
    const second = await get(`/api/auth/events?limit=4&cursor=${cursorIn(first)}`, token);
    const third = await get(`/api/auth/events?limit=4&cursor=${cursorIn(second)}`, token);
    const ids = [first, second, third].flatMap((page) => eventsIn(page).map(({ id }) => id));
    expect([ids.length, new Set(ids).size, cursorIn(third)]).toEqual([9, 9, null]);
    const other = await register('other@example.com');
    expect((await get(`/api/auth/events?cursor=${cursorIn(first)}`, other.token)).status).toBe(400);
    expect((await get(`/api/admin/events?cursor=${cursorIn(first)}`, admin.token)).status).toBe(400);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'limit=1&limit=2', 'cursor=x', 'cursor=%00'])(
    'are 400 with %s',
    async (query) => {
      expect((await get(`/api/auth/events?${query}`, admin.token)).status).toBe(400);
      expect((await get(`/api/admin/events?${query}`, admin.token)).status).toBe(400);
    },
  );

  it.each([
    'account_id=x',
    'type=unknown',
    'account_id=acct_1&account_id=acct_2',
    'actor_id=x',
    'from=x',
    'from=2020-01-02&to=2020-01-02',
  ])('the events of all accounts are 400 with %s', async (query) => {
    expect((await get(`/api/admin/events?${query}`, admin.token)).status).toBe(400);
  });

  it('cannot be changed by the console', async () => {
    const url = site.database.urlFor('console');
    const pool = TestPool.of({ url, applicationName: 'test', size: 1 });
    for (const sql of [
      'DELETE FROM accounts.security_events',
      "UPDATE accounts.security_events SET type = 'x'",
    ])
      await expect(pool.query(sql)).rejects.toThrow('permission denied');
    await pool.end();
  });
});
