import { newId } from '@inference/database';
import { createSecretKey, hashSecretKey } from '@inference/guards';
import { type UnitRate } from '@inference/metering';
import { insertApiKey, publishPrices, TEST_API_KEY_HASH_SECRET, waitFor } from '@inference/testing';
import { type Answer, settleRequest, type SignedIn, TestSite } from '../testing/console.fixture';
import { login, PASSWORD, refresh, register } from '../identity/refresh/refresh.fixture';
import { challenge, FrozenClock, securedAccount, verify } from '../identity/second-factor/two-factor.fixture';

const RATES: UnitRate[] = [{ unit: 'per_million_tokens', ratePicos: 1_000n }];
const REASON = 'Stolen card, ticket 4711.';
const MESSAGE = 'Please write to us.';
const CONTACT = 'mailto:help@example.com';

let site: TestSite;
let staff: SignedIn;

beforeAll(async () => {
  site = await TestSite.start({ SUPPORT_CONTACT: 'help@example.com' });
  staff = await site.signedIn('admin');
});
afterAll(() => site.stop());

const call = (method: string, path: string, json?: unknown, { token } = staff) =>
  site.console.request(method, path, { token, ...(json !== undefined && { json }) });
const admin = (method: string, accountId: string, path: string, json?: unknown) =>
  call(method, `/api/admin/accounts/${accountId}${path}`, json);
const suspend = (accountId: string, json: object = { reason: REASON, message: MESSAGE }) =>
  admin('POST', accountId, '/suspend', json);
const reactivate = (accountId: string) => admin('POST', accountId, '/reactivate', { reason: 'A mistake.' });
const me = (token: string) => site.console.request('GET', '/api/auth/me', { token });
const bodyOf = <T>({ body }: Answer) => body as T;

const registered = () => register(site.console);
const signIn = (identifier: string, password = PASSWORD) =>
  site.console.request('POST', '/api/auth/login', { json: { identifier, password } });

describe('a suspended account', () => {
  it('is shut out with its sessions and keys, and let in again', async () => {
    const { accountId: id, token, value } = await registered();
    const { apiKey } = await insertApiKey(site.database.pool, id);
    const withKey = () => site.console.request('GET', '/api/models/none/download', { token: apiKey });
    expect([(await me(token)).status, (await withKey()).status]).toEqual([200, 404]);
    const suspended = await suspend(id);
    expect([suspended.status, suspended.body]).toMatchObject([
      200,
      { id, suspension: { suspended_at: expect.any(String), reason: REASON, message: MESSAGE } },
    ]);
    const refused = await me(token);
    expect([refused.status, refused.body]).toEqual([
      403,
      {
        error: 'this account is suspended; sign in to the console to read why',
        code: 'account_suspended',
      },
    ]);
    await waitFor(async () => (await withKey()).status === 403);
    expect(await refresh(site.console, value)).toMatchObject({
      status: 403,
      body: { code: 'account_suspended' },
    });
    // What everybody may read is open to it, too.
    expect((await site.console.request('GET', '/api/models', { token })).status).toBe(200);
    expect(await reactivate(id)).toMatchObject({ status: 200, body: { suspension: null } });
    expect((await me(token)).status).toBe(200);
    await waitFor(async () => (await withKey()).status === 404);
    expect((await refresh(site.console, value)).status).toBe(200);
  });

  it('is told why and whom to ask after a correct password only', async () => {
    const { accountId: id, email } = await registered();
    await suspend(id);
    const wrong = await signIn(email, 'not the password');
    expect([wrong.status, wrong.text]).not.toContain(MESSAGE);
    expect(wrong.status).toBe(401);
    const right = await signIn(email);
    expect([right.status, right.body]).toEqual([
      403,
      {
        error: 'this account is suspended; sign in to the console to read why',
        code: 'account_suspended',
        suspended_at: expect.any(String),
        suspension_message: MESSAGE,
        contact: CONTACT,
      },
    ]);
    expect(right.text).not.toContain('4711');
    expect(right.headers.getSetCookie()).toEqual([]);
    // A correct password is no attempt to guess one.
    for (let again = 0; again < 12; again++) expect((await signIn(email)).status).toBe(403);
    await suspend(id, { reason: 'Another one.' });
    expect((await signIn(email)).body).toMatchObject({ suspension_message: null });
  });

  it('is told so before a code that was asked for', async () => {
    const clock = new FrozenClock();
    try {
      const { accountId, authenticator } = await securedAccount(site, clock);
      const challengeId = await challenge(site, accountId);
      await suspend(accountId);
      const refused = await verify(site, challengeId, authenticator.code());
      expect(refused).toMatchObject({ status: 403, body: { suspension_message: MESSAGE } });
    } finally {
      clock.thaw();
    }
  });

  it('keeps what it has, and its pending payments are credited', async () => {
    const customer = await site.signedIn('user', 5n);
    await suspend(customer.accountId);
    const { body } = await admin('GET', customer.accountId, '');
    expect(body).toMatchObject({ suspension: { reason: REASON }, balance: expect.anything() });
    expect(await admin('GET', customer.accountId, '/keys')).toMatchObject({
      status: 200,
      body: { keys: [{ id: customer.apiKeyId, suspension: null }] },
    });
  });

  it('is in the audit log, with the reason for staff only', async () => {
    const { accountId: id, token } = await registered();
    await suspend(id);
    await reactivate(id);
    await reactivate(id);
    type Events = { events: { type: string; details: object; actor_id: string | null }[] };
    const all = bodyOf<Events>(await call('GET', `/api/admin/events?account_id=${id}`));
    expect(all.events.slice(0, 2)).toMatchObject([
      { type: 'account.reactivated', details: { reason: 'A mistake.' }, actor_id: staff.accountId },
      { type: 'account.suspended', details: { reason: REASON, message: MESSAGE } },
    ]);
    const own = await site.console.request('GET', '/api/auth/events', { token });
    expect(bodyOf<Events>(own).events.slice(0, 2)).toMatchObject([
      { type: 'account.reactivated', details: {}, actor_id: null },
      { type: 'account.suspended', details: { message: MESSAGE } },
    ]);
    expect(own.text).not.toContain('4711');
    expect(own.text).not.toContain('A mistake.');
  });

  it('is not one of staff, and exists', async () => {
    expect((await suspend(staff.accountId)).status).toBe(409);
    expect((await suspend((await site.signedIn('analyst')).accountId)).status).toBe(409);
    expect((await suspend('acct_unknown')).status).toBe(404);
    expect((await reactivate('acct_unknown')).status).toBe(404);
  });

  it.each([{}, { reason: '' }, { reason: ' ' }, { reason: 'x'.repeat(1_001) }, { reason: 'x', message: 1 }])(
    'needs a reason: %j',
    async (json) => expect((await suspend(staff.accountId, json)).status).toBe(400),
  );
});

describe('a suspended key', () => {
  it('is refused everywhere, and its owner reads why', async () => {
    const owner = await site.signedIn();
    const path = `/keys/${owner.apiKeyId}`;
    const withKey = () => site.console.request('GET', '/api/models/none/download', { token: owner.apiKey });
    expect((await withKey()).status).toBe(404);
    const suspended = await admin('POST', owner.accountId, `${path}/suspend`, {
      reason: REASON,
      message: MESSAGE,
    });
    expect(suspended).toMatchObject({
      status: 200,
      body: { suspension: { reason: REASON, message: MESSAGE } },
    });
    await waitFor(async () => (await withKey()).status === 401);
    const own = await call('GET', '/api/api-keys', undefined, owner);
    const suspension = { suspended_at: expect.any(String), message: MESSAGE };
    expect(own.body).toMatchObject({ api_keys: [{ id: owner.apiKeyId, suspension }] });
    expect(own.text).not.toContain('4711');
    expect((await me(owner.token)).status).toBe(200);
    const active = await admin('POST', owner.accountId, `${path}/reactivate`, { reason: 'A mistake.' });
    expect(active).toMatchObject({ status: 200, body: { suspension: null } });
    await waitFor(async () => (await withKey()).status === 404);
  });

  it('is one that the account has', async () => {
    const [owner, other] = [await site.signedIn(), await site.signedIn()];
    for (const action of ['suspend', 'reactivate']) {
      const answer = await admin('POST', other.accountId, `/keys/${owner.apiKeyId}/${action}`, {
        reason: REASON,
      });
      expect(answer.status).toBe(404);
      const bad = await admin('POST', owner.accountId, `/keys/${owner.apiKeyId}/${action}`, {});
      expect(bad.status).toBe(400);
    }
    expect((await admin('GET', 'acct_unknown', '/keys')).status).toBe(404);
  });
});

describe('a customer', () => {
  let customer: SignedIn;
  let servedId: string;
  let failedId: string;

  beforeAll(async () => {
    const { pool } = site.database;
    customer = await site.signedIn('user', 10n ** 15n);
    const { accountId, apiKeyId } = customer;
    const prices = (ratePicos: bigint) => [{ slug: 'chat', unit: RATES[0]!.unit, ratePicos }];
    const priceListId = await publishPrices(pool, prices(1_000n));
    servedId = newId('req');
    failedId = newId('req');
    const usage = { inputTokens: 10, outputTokens: 41 };
    await settleRequest(pool, accountId, {
      ...{ model: 'chat', rates: RATES, usage, requestId: servedId, priceListId, apiKeyId },
    });
    await pool.query(
      `INSERT INTO metering.unserved_calls (request_id, occurred_at, started_at, account_id, api_key_id, model, entrypoint, endpoint, kind,
         http_status, error_code, upstream, duration_ms, time_to_first_byte_ms)
       VALUES ($1, clock_timestamp(), now(), $2, $3, 'chat', 'gateway', 'chat/completions', 'failed', 502, 'upstream_error', 'engine-7', 9, 4)`,
      [failedId, accountId, apiKeyId],
    );
    await publishPrices(pool, [...prices(2_000n), { slug: 'other', unit: RATES[0]!.unit, ratePicos: 1n }]);
    await publishPrices(pool, [...prices(2_000n), { slug: 'other', unit: RATES[0]!.unit, ratePicos: 2n }]);
    await pool.query(
      `INSERT INTO billing.payments (id, account_id, provider, amount_minor, currency, expires_at)
       VALUES ('pay_support', $1, 'card_provider', 1000, 'USD', now() + interval '1 hour')`,
      [accountId],
    );
    await pool.query(
      `INSERT INTO billing.documents (id, kind, number, payment_id, account_id, snapshot, issued_at)
       VALUES ('doc_support', 'receipt', 'R-2026-000042', 'pay_support', $1, '{}', now())`,
      [accountId],
    );
  });

  interface Match {
    kind: string;
    id: string;
    account: { id: string };
  }
  const search = async (query: string) =>
    bodyOf<{ matches: Match[] }>(await call('POST', '/api/admin/accounts/search', { query })).matches;

  it('is found by whatever names it or something of it, from one field', async () => {
    const { accountId, apiKey, apiKeyId } = customer;
    const prefix = apiKey.slice(0, 12);
    const expected: [string, string, string][] = [
      [accountId, 'account', accountId],
      [`${accountId.toLowerCase()}@exam`, 'account', accountId],
      [servedId, 'request', servedId],
      [failedId, 'request', failedId],
      [apiKeyId, 'api_key', apiKeyId],
      [apiKey, 'api_key', apiKeyId],
      [` ${apiKey} `, 'api_key', apiKeyId],
      [prefix, 'api_key', apiKeyId],
      [apiKey.slice(0, 11), 'api_key', apiKeyId],
      // A key with a mistake is found by its beginning.
      [`${apiKey.slice(0, 20)}`, 'api_key', apiKeyId],
      ['pay_support', 'payment', 'pay_support'],
      ['r-2026-000042', 'document', 'R-2026-000042'],
    ];
    for (const [query, kind, id] of expected) {
      const found = await search(query);
      expect([query, found.map((match) => [match.kind, match.id, match.account.id])]).toEqual([
        query,
        [[kind, id, accountId]],
      ]);
    }
    for (const nobody of ['req_0Vc3kZ8dQ1mXw7RtYb2LsA', 'req_x', 'pay_none', 'INV-2026-999999', 'key_none'])
      expect(await search(nobody)).toEqual([]);
    for (const query of ['', ' ', 'x'.repeat(301)])
      expect((await call('POST', '/api/admin/accounts/search', { query })).status).toBe(400);
  });

  it('is found by what its clients have named their calls', async () => {
    const { pool } = site.database;
    const { accountId } = customer;
    const other = await site.signedIn();
    const name = (id: string, of: string, call: string, minutesAgo: number) =>
      pool.query(
        `INSERT INTO metering.client_request_ids VALUES ($1, $2, clock_timestamp() - make_interval(mins => $4), $3)`,
        [id, of, call, minutesAgo],
      );
    await name('job 4711', accountId, servedId, 1);
    await name('job 4711', accountId, failedId, 2);
    await name('job 4711', other.accountId, 'req_other', 3);
    const [first, second, ...more] = await search('job 4711');
    expect(more).toEqual([]);
    expect([first, second]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'request', id: servedId }),
        expect.objectContaining({ kind: 'request', id: 'req_other' }),
      ]),
    );
    // Clients may name theirs as the platform does.
    await name('req_client', accountId, servedId, 1);
    expect(await search('req_client')).toMatchObject([{ kind: 'request', id: servedId }]);
    expect(await search('job')).toEqual([]);
  });

  it('is found by a key that is suspended, and by the beginning of a deleted one', async () => {
    const { pool } = site.database;
    const { apiKey, apiKeyId } = await insertApiKey(pool, customer.accountId);
    await admin('POST', customer.accountId, `/keys/${apiKeyId}/suspend`, { reason: REASON });
    expect(await search(apiKey)).toMatchObject([{ id: apiKeyId }]);
    await pool.query('UPDATE accounts.api_keys SET key_hash = NULL, deleted_at = now() WHERE id = $1', [
      apiKeyId,
    ]);
    expect(await search(apiKey)).toEqual([]);
    expect(await search(apiKey.slice(0, 12))).toMatchObject([{ id: apiKeyId }]);
  });

  it('is found by the former secret of a key, also when it does not work any more', async () => {
    const { pool } = site.database;
    const { apiKey, apiKeyId } = await insertApiKey(pool, customer.accountId);
    const rotated = await call('POST', `/api/api-keys/${apiKeyId}/rotate`, { overlap_seconds: 60 }, customer);
    for (const key of [apiKey, bodyOf<{ key: string }>(rotated).key])
      expect(await search(key)).toMatchObject([{ id: apiKeyId, account: { id: customer.accountId } }]);
    await pool.query('UPDATE accounts.former_key_secrets SET ends_at = now() WHERE api_key_id = $1', [
      apiKeyId,
    ]);
    expect(await search(apiKey)).toMatchObject([{ id: apiKeyId }]);
  });

  it('is found by management keys and keys of workspaces, and none of them is kept', async () => {
    const { pool } = site.database;
    const { accountId } = customer;
    const made = await call('POST', '/api/api-keys', { name: 'manager', kind: 'management' }, customer);
    const { key, id } = bodyOf<{ key: string; id: string }>(made);
    const rotated = await call('POST', `/api/api-keys/${id}/rotate`, { overlap_seconds: 60 }, customer);
    const { key: workspaceKey, prefix } = createSecretKey('sk_');
    await pool.query(
      `WITH workspace AS (INSERT INTO memo.workspaces (id, name, created_by) VALUES ('ws_' || $1, 'notes', $1) RETURNING id),
         member AS (INSERT INTO memo.members (workspace_id, account_id, role, shows_email)
           SELECT id, $1, 'admin', true FROM workspace RETURNING workspace_id)
       INSERT INTO memo.keys (id, workspace_id, account_id, name, prefix, key_hash, role)
       SELECT 'wk_' || $1, workspace_id, $1, 'reader', $2, $3, 'viewer' FROM member`,
      [accountId, prefix, hashSecretKey(workspaceKey, TEST_API_KEY_HASH_SECRET)],
    );
    const expected: [string, string, string][] = [
      [key, 'api_key', id],
      [bodyOf<{ key: string }>(rotated).key, 'api_key', id],
      [workspaceKey, 'workspace_key', `wk_${accountId}`],
    ];
    for (const [query, kind, found] of expected)
      expect(await search(query)).toMatchObject([{ kind, id: found, account: { id: accountId } }]);
    expect(await search(createSecretKey('sk_').key)).toEqual([]);
    const { rows } = await pool.query<{ text: string }>(
      "SELECT coalesce(string_agg(details::text, ' '), '') AS text FROM accounts.security_events",
    );
    for (const [query] of expected) expect(rows[0]!.text).not.toContain(query);
  });

  it('has calls that are found by their ids alone', async () => {
    const served = await call('GET', `/api/admin/requests/${servedId}`);
    expect([served.status, served.body]).toMatchObject([
      200,
      { id: servedId, account_id: customer.accountId, status: 'charged', upstream: 'test' },
    ]);
    expect((await call('GET', `/api/admin/requests/${failedId}`)).body).toMatchObject({
      ...{ id: failedId, account_id: customer.accountId, status: 'failed', http_status: 502 },
      ...{ error_code: 'upstream_error', upstream: 'engine-7', time_to_first_byte_ms: 4, duration_ms: 9 },
    });
    for (const unknown of [newId('req'), 'x'])
      expect((await call('GET', `/api/admin/requests/${unknown}`)).status).toBe(404);
  });

  it('is not searched for long by the id of a call', async () => {
    const client = await site.database.pool.connect();
    try {
      await client.query('BEGIN; LOCK metering.usage_events');
      const searches = [
        call('GET', `/api/admin/requests/${servedId}`),
        call('POST', '/api/admin/accounts/search', { query: servedId }),
      ];
      for (const { status, body } of await Promise.all(searches))
        expect([status, body]).toEqual([
          503,
          {
            error: expect.stringContaining('no call with this id was found in time'),
            code: 'too_many_calls',
          },
        ]);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    expect(await search(servedId)).toMatchObject([{ id: servedId }]);
  });

  it('has a timeline of all that happened, newest first and in pages', async () => {
    const { accountId } = customer;
    await admin('POST', accountId, '/notes', { text: 'Called on Monday.' });
    await suspend(accountId);
    await reactivate(accountId);
    type Timeline = { entries: { id: string; kind: string; type: string; details: object; at: string }[] } & {
      next_cursor: string | null;
    };
    const whole = bodyOf<Timeline>(await admin('GET', accountId, '/timeline?limit=50'));
    const seen = whole.entries.map(({ kind, type }) => `${kind} ${type}`);
    for (const entry of [
      'event account.suspended',
      'event account.reactivated',
      'note note',
      'payment pending',
      'failed_call upstream_error',
    ])
      expect(seen).toContain(entry);
    // Of two lists one has changed the price of a model that it uses.
    const prices = whole.entries.filter(({ kind }) => kind === 'prices');
    expect(prices.map(({ details }) => details)).toEqual([{ models: ['chat'] }]);
    const times = whole.entries.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const next = cursor === '' ? '' : `&cursor=${cursor}`;
      const page: Timeline = bodyOf(await admin('GET', accountId, `/timeline?limit=3${next}`));
      paged.push(...page.entries.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(whole.entries.map(({ id }) => id));
    const [newest, second] = [whole.entries[0]!, whole.entries[1]!];
    const ids = async (range: string) => {
      const answer = await admin('GET', accountId, `/timeline?limit=50&${range}`);
      return bodyOf<Timeline>(answer).entries.map(({ id }) => id);
    };
    // Times of the answers are cut to milliseconds.
    const until = (at: string) => whole.entries.filter((entry) => entry.at < at).map(({ id }) => id);
    expect(until(newest.at).length).toBeLessThan(paged.length);
    expect(await ids(`to=${newest.at}`)).toEqual(until(newest.at));
    expect(await ids(`from=${second.at}`)).toEqual(paged.filter((id) => !until(second.at).includes(id)));
    expect(await ids('from=2100-01-01')).toEqual([]);
    expect(await ids('to=2100-01-01&time_zone=Asia%2FShanghai')).toEqual(paged);
    const first: Timeline = bodyOf(await admin('GET', accountId, '/timeline?limit=1'));
    // A cursor is of the list with its range.
    for (const wrong of ['from=yesterday', `cursor=${first.next_cursor}&to=2100-01-01`])
      expect((await admin('GET', accountId, `/timeline?${wrong}`)).status).toBe(400);
  });

  it('has notes with their authors', async () => {
    const { accountId } = await site.signedIn();
    const first = await admin('POST', accountId, '/notes', { text: ' One ' });
    expect([first.status, first.body]).toMatchObject([
      201,
      { text: 'One', author_id: staff.accountId, author_email: expect.stringContaining('@') },
    ]);
    await admin('POST', accountId, '/notes', { text: 'Two' });
    expect((await admin('GET', accountId, '/notes')).body).toMatchObject({
      notes: [{ text: 'Two' }, { text: 'One' }],
      next_cursor: null,
    });
    for (const text of ['', 'x'.repeat(4_001)])
      expect((await admin('POST', accountId, '/notes', { text })).status).toBe(400);
  });

  it('has sessions, agents and workspaces, without what they hold', async () => {
    const browser = await registered();
    const { accountId } = browser;
    const { pool } = site.database;
    await pool.query(
      `INSERT INTO agent.sessions (id, account_id, public_id, model, system) VALUES ('s-1', $1, 'mine', 'chat', 'You are secret.')`,
      [accountId],
    );
    await pool.query(`INSERT INTO memo.workspaces (id, name, created_by) VALUES ('ws_1', 'Harbour', $1)`, [
      accountId,
    ]);
    await pool.query(
      `INSERT INTO memo.members (workspace_id, account_id, role, shows_email) VALUES ('ws_1', $1, 'admin', true)`,
      [accountId],
    );
    await login(site.console, browser);
    const sessions = bodyOf<{ sessions: object[] }>(await admin('GET', accountId, '/sessions'));
    expect(sessions.sessions).toHaveLength(2);
    const agents = await admin('GET', accountId, '/agents');
    expect(agents.body).toMatchObject({ agents: [{ id: 'mine', model: 'chat', turns: 0 }] });
    expect(agents.text).not.toContain('secret');
    expect((await admin('GET', accountId, '/workspaces')).body).toMatchObject({
      workspaces: [{ id: 'ws_1', name: 'Harbour', role: 'admin', is_creator: true }],
    });
  });

  it('has documents, of which staff sees name, size and state', async () => {
    const { accountId, token } = await registered();
    const other = await registered();
    await site.database.pool.query(
      `WITH workspace AS (INSERT INTO memo.workspaces (id, name, created_by) VALUES ('ws_2', 'Port', $1)),
       document AS (
         INSERT INTO memo.documents (id, workspace_id, version, serving_version, created_by, created_at)
         SELECT 'doc_' || n, 'ws_2', 2, 1, CASE WHEN n = 4 THEN $2 ELSE $1 END, '2026-01-01T00:00:00Z'::timestamptz + make_interval(days => n / 2)
         FROM generate_series(1, 4) n
       )
       INSERT INTO memo.document_versions (document_id, version, workspace_id, title, metadata, media_type, bytes, sha256, uploaded_by, status)
       SELECT 'doc_' || n, version, 'ws_2', '=Rules ' || n || '.' || version, '{"secret": 1}', 'text/plain', n * 100, '', $1, 'queued'
       FROM generate_series(1, 4) n, generate_series(1, 2) version`,
      [accountId, other.accountId],
    );
    const ids = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Answer = await admin(
        'GET',
        accountId,
        `/documents?limit=1${cursor && `&cursor=${cursor}`}`,
      );
      const body = bodyOf<{ documents: { id: string }[]; next_cursor: string | null }>(page);
      expect(page.text).not.toContain('secret');
      ids.push(...body.documents.map(({ id }) => id));
      cursor = body.next_cursor;
    }
    expect(ids).toEqual(['doc_3', 'doc_2', 'doc_1']);
    const { body } = await admin('GET', accountId, '/documents?limit=1');
    expect(bodyOf<{ documents: object[] }>({ body } as Answer).documents[0]).toMatchObject({
      ...{ id: 'doc_3', name: '=Rules 3.2', workspace_id: 'ws_2', workspace_name: 'Port', bytes: 300 },
      ...{ media_type: 'text/plain', status: 'queued', error_code: null, version: 2, serving_version: 1 },
    });
    const csv = await site.console.request('GET', `/api/admin/accounts/${accountId}/documents`, {
      token: staff.token,
      headers: { Accept: 'text/csv' },
    });
    expect(csv.text.split('\r\n').slice(1, -1)).toHaveLength(3);
    expect(csv.text).toContain("doc_3,'=Rules 3.2,ws_2,Port,text/plain,300,queued,,2,1,");
    expect(
      (await call('GET', `/api/admin/accounts/${accountId}/documents`, undefined, { token } as SignedIn))
        .status,
    ).toBe(403);
  });

  it.each(['timeline', 'sessions', 'agents', 'workspaces', 'documents', 'notes'])(
    'is known: %s',
    async (path) => {
      expect((await admin('GET', 'acct_unknown', `/${path}`)).status).toBe(404);
      if (path === 'notes')
        expect((await admin('POST', 'acct_unknown', '/notes', { text: 'x' })).status).toBe(404);
    },
  );
});
