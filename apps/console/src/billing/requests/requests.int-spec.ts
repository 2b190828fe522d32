import { idMillis, newId } from '@inference/database';
import { type UnitRate } from '@inference/metering';
import { insertApiKey, publishPrices } from '@inference/testing';
import {
  type ServedRequest,
  settleRequest,
  settleRequests,
  type SignedIn,
  TestSite,
} from '../../testing/console.fixture';
import { type RequestListResponse } from './requests.dto';

const RATES: UnitRate[] = [
  { unit: 'per_million_input_tokens', ratePicos: 150_001n },
  { unit: 'per_million_output_tokens', ratePicos: 600_007n },
];
const CHAT: ServedRequest = { model: 'chat', rates: RATES, usage: { inputTokens: 1234, outputTokens: 7 } };
const BALANCE_PICOS = 10n ** 18n;
const MILLIS_PER_DAY = 86_400_000;
/** More than an export reads at once. */
const MANY = 1_001;

describe('the request log', () => {
  let site: TestSite;
  let account: SignedIn;
  let priceListId: bigint;
  const read = (query = '', { token } = account, headers = {}) =>
    site.console.request('GET', `/api/billing/requests${query}`, { token, headers });
  const find = (id: string, { token } = account) =>
    site.console.request('GET', `/api/billing/requests/${id}`, { token });
  const page = async (query = '') => (await read(query)).body as RequestListResponse;
  const ids = async (query = '') => (await page(query)).requests.map(({ id }) => id);
  const csv = async (query = '') => (await read(query, account, { Accept: 'text/csv' })).text;
  /** Settles a call and returns its id. */
  async function serve(request: Partial<ServedRequest> = {}): Promise<string> {
    const requestId = newId('req');
    await settleRequest(site.database.pool, account.accountId, {
      ...CHAT,
      priceListId,
      requestId,
      ...request,
    });
    return requestId;
  }

  beforeAll(async () => {
    site = await TestSite.start();
    const prices = RATES.map((rate) => ({ slug: 'chat', ...rate }));
    priceListId = await publishPrices(site.database.pool, prices);
  });
  beforeEach(async () => (account = await site.signedIn('user', BALANCE_PICOS)));
  afterAll(() => site.stop());

  it('is empty for a new account', async () => {
    const answer = await read();
    expect([answer.status, answer.text]).toEqual([200, '{"requests":[],"next_cursor":null}']);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('vary')).toContain('Accept');
  });

  it('shows each call with its key, tokens and exact cost', async () => {
    const { apiKeyId } = account;
    const id = await serve({ apiKeyId, entrypoint: 'agent', outcome: 'disconnected' });
    const { text, body } = await read();
    const { rows } = await site.database.pool.query('SELECT prefix FROM accounts.api_keys WHERE id = $1', [
      apiKeyId,
    ]);
    const { prefix } = rows[0] as { prefix: string };
    expect((body as RequestListResponse).requests).toEqual([
      {
        id,
        created_at: expect.stringMatching(/Z$/),
        started_at: expect.stringMatching(/Z$/),
        model: 'chat',
        api_key: { id: apiKeyId, name: 'test', prefix },
        entrypoint: 'agent',
        endpoint: 'chat/completions',
        input_tokens: 1234,
        output_tokens: 7,
        estimated: false,
        cost: expect.anything(),
        currency: 'USD',
        outcome: 'disconnected',
        status: 'charged',
        http_status: 200,
        error_code: null,
        duration_ms: null,
        time_to_first_token_ms: null,
        tokens_per_second: null,
        finish_reason: null,
      },
    ]);
    expect(text).toContain('"cost":0.000189301283,');
  });

  it('explains the cost of one call', async () => {
    const id = await serve();
    const { text, status, body } = await find(id);
    expect(status).toBe(200);
    expect(text).toContain(
      '"cost":0.000189301283,"currency":"USD","outcome":"completed","status":"charged","http_status":200,"error_code":null,"duration_ms":null,' +
        '"time_to_first_token_ms":null,"tokens_per_second":null,"finish_reason":null,"client_request_id":null,"usage_fault":null,"lines":[' +
        '{"meter":"input","unit":"per_million_input_tokens","conditions":null,"quantity":0.001234,"price":0.150001,"amount":0.000185101234},' +
        '{"meter":"output","unit":"per_million_output_tokens","conditions":null,"quantity":0.000007,"price":0.600007,"amount":0.000004200049}]',
    );
    expect(text).toMatch(/"cost_usd":0.000189301283,"usd_per_unit":1}$/);
    const { rows } = await site.database.pool.query(
      'SELECT effective_from FROM pricing.price_lists WHERE id = $1',
      [priceListId],
    );
    const [{ effective_from: since }] = rows as [{ effective_from: Date }];
    const { price_list: priceList, ...call } = body as Record<string, unknown>;
    expect(priceList).toEqual({ id: String(priceListId), effective_from: since.toISOString() });
    const [listed] = (await page()).requests;
    expect(call).toMatchObject(listed!);
  });

  it('says what was wrong with the usage that the upstream reported', async () => {
    const id = await serve();
    await site.database.pool.query(
      `UPDATE metering.usage_events SET usage_fault = 'total_below_parts' WHERE request_id = $1`,
      [id],
    );
    expect((await find(id)).body).toMatchObject({ usage_fault: 'total_below_parts' });
  });

  it('keeps the price at which a call was charged', async () => {
    const id = await serve();
    const before = (await find(id)).text;
    await publishPrices(site.database.pool, [{ slug: 'chat', unit: 'per_request', ratePicos: 5n }]);
    expect((await find(id)).text).toBe(before);
  });

  it('shows a call of a deleted key', async () => {
    const { apiKeyId } = account;
    const id = await serve({ apiKeyId });
    const { token } = account;
    await site.console.request('DELETE', `/api/api-keys/${apiKeyId}`, { token });
    expect(((await find(id)).body as { api_key: object }).api_key).toMatchObject({
      id: apiKeyId,
      name: 'test',
    });
  });

  it('has pages, newest first, also of calls that were settled at once', async () => {
    const first = await serve();
    const together = Array.from({ length: 4 }, () => newId('req'));
    const batch = together.map((requestId) => ({ ...CHAT, priceListId, requestId }));
    await settleRequests(site.database.pool, account.accountId, batch);
    const last = await serve();
    const seen: string[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = `?limit=2${cursor && `&cursor=${cursor}`}`;
      const { requests, next_cursor: next } = await page(query);
      seen.push(requests.map(({ id }) => id));
      cursor = next;
    }
    expect(seen.map(({ length }) => length)).toEqual([2, 2, 2]);
    const all = seen.flat();
    expect(all[0]).toBe(last);
    expect(all.at(-1)).toBe(first);
    expect(all.slice(1, -1).sort()).toEqual(together.sort());
    expect(await ids()).toEqual(all);
  });

  it('is limited by each filter and by all of them', async () => {
    const { apiKeyId } = account;
    const other = (await insertApiKey(site.database.pool, account.accountId)).apiKeyId;
    const keyed = await serve({ apiKeyId });
    const ofAgent = await serve({ apiKeyId: other, entrypoint: 'agent' });
    const ofModel = await serve({ model: 'mini' });
    const broken = await serve({ apiKeyId, outcome: 'interrupted' });
    expect(await ids(`?api_key_id=${apiKeyId}`)).toEqual([broken, keyed]);
    expect(await ids('?api_key_id=none')).toEqual([ofModel]);
    expect(await ids('?entrypoint=agent')).toEqual([ofAgent]);
    expect(await ids('?model=mini')).toEqual([ofModel]);
    expect(await ids('?outcome=interrupted')).toEqual([broken]);
    expect(await ids('?outcome=completed&model=chat')).toEqual([ofAgent, keyed]);
    expect(await ids(`?api_key_id=${apiKeyId}&model=chat&entrypoint=gateway&outcome=interrupted`)).toEqual([
      broken,
    ]);
    expect(await ids('?model=absent')).toEqual([]);
    expect(await ids('?api_key_id=key_0')).toEqual([]);
  });

  it('is limited to a period, `to` excluded', async () => {
    const [first, second] = [await serve(), await serve()];
    const { rows } = await site.database.pool.query<{ at: string }>(
      `SELECT to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
       FROM metering.usage_events WHERE account_id = $1 ORDER BY occurred_at`,
      [account.accountId],
    );
    const [at, next] = rows.map((row) => row.at);
    for (const filter of ['', '&model=chat']) {
      expect(await ids(`?from=${at}&to=${next}${filter}`)).toEqual([first]);
      expect(await ids(`?from=${next}${filter}`)).toEqual([second]);
      expect(await ids(`?to=${at}${filter}`)).toEqual([]);
      expect(await ids(`?to=2020-01-01&time_zone=Asia/Shanghai${filter}`)).toEqual([]);
    }
  });

  it('follows a cursor through the hours of a filter', async () => {
    const calls = [await serve({ model: 'mini' }), await serve(), await serve({ model: 'mini' })];
    // The first one two hours earlier. A month may begin within them.
    await site.database.pool.query(
      'CREATE TABLE IF NOT EXISTS metering.usage_events_earlier PARTITION OF metering.usage_events DEFAULT',
    );
    await site.database.pool.query(
      "UPDATE metering.usage_events SET occurred_at = occurred_at - interval '2 hours' WHERE request_id = $1",
      [calls[0]],
    );
    await site.database.pool.query(
      `INSERT INTO metering.hourly_rollup
       SELECT account_id, hour - interval '2 hours', model, entrypoint, unit, quantity, tokens, cost_picos, cost_usd_picos
       FROM metering.hourly_rollup WHERE account_id = $1 AND model = 'mini'`,
      [account.accountId],
    );
    const { requests, next_cursor: cursor } = await page('?model=mini&limit=1');
    expect(requests.map(({ id }) => id)).toEqual([calls[2]]);
    expect(await ids(`?model=mini&limit=1&cursor=${cursor}`)).toEqual([calls[0]]);
    expect(await ids('?model=mini')).toEqual([calls[2], calls[0]]);
    const unfiltered = await page('?limit=2');
    expect(unfiltered.requests.map(({ id }) => id)).toEqual([calls[2], calls[1]]);
    expect(await ids(`?limit=2&cursor=${unfiltered.next_cursor}`)).toEqual([calls[0]]);
  });

  it.each([
    [-2 * 60 * 60_000, 200],
    [-6 * MILLIS_PER_DAY, 200],
    [12 * 60 * 60_000, 200],
    [-8 * MILLIS_PER_DAY, 404],
  ])('looks for a call whose id was made %d ms after it was settled: %d', async (millis, status) => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + millis);
    const requestId = newId('req');
    now.mockRestore();
    expect(idMillis(requestId)).not.toBeNull();
    await serve({ requestId });
    expect((await find(requestId)).status).toBe(status);
  });

  it("is limited to the caller's account", async () => {
    const id = await serve();
    await serve();
    const admin = await site.signedIn('admin');
    expect((await read('', admin)).body).toEqual({ requests: [], next_cursor: null });
    const answer = await find(id, admin);
    expect([answer.status, answer.body]).toEqual([404, { error: 'no such request' }]);
    const { next_cursor: cursor } = await page('?limit=1');
    expect((await read(`?limit=1&cursor=${cursor}`, admin)).status).toBe(400);
    expect((await read(`?limit=1&model=chat&cursor=${cursor}`)).status).toBe(400);
  });

  it('is shown to admins with the account in the path, and to nobody else', async () => {
    const id = await serve();
    const admin = await site.signedIn('admin');
    const other = await site.signedIn();
    const ofAccount = (accountId: string, path = '', { token } = admin) =>
      site.console.request('GET', `/api/admin/accounts/${accountId}/requests${path}`, { token });
    const { requests, ...page } = (await read('?limit=1')).body as RequestListResponse;
    const facts = { upstream: 'test', time_to_first_byte_ms: null };
    expect((await ofAccount(account.accountId, '?limit=1')).body).toEqual({
      ...page,
      requests: [{ ...requests[0], ...facts }],
    });
    expect((await ofAccount(account.accountId, `/${id}`)).body).toEqual({
      ...((await find(id)).body as object),
      ...facts,
    });
    expect((await ofAccount(other.accountId)).body).toEqual({ requests: [], next_cursor: null });
    expect((await ofAccount(other.accountId, `/${id}`)).status).toBe(404);
    expect((await ofAccount('acct_unknown')).body).toEqual({ error: 'no such account' });
    expect((await ofAccount(account.accountId, '?from=yesterday')).status).toBe(400);
    for (const path of ['', `/${id}`])
      for (const caller of [account, await site.signedIn('analyst')])
        expect((await ofAccount(account.accountId, path, caller)).status).toBe(403);
  });

  it.each(['req_', 'req_1', 'unknown', '%00', 'txn_0Vc3kZ8dQ1mXw7RtYb2LsA', 'req_zzzzzzzz1mXw7RtYb2LsAB'])(
    'answers 404 for the id %s',
    async (id) => {
      expect((await find(id)).status).toBe(404);
    },
  );

  it.each([
    '?from=yesterday',
    '?to=',
    '?from=2026-01-02&to=2026-01-01',
    '?from=2026-01-02&to=2026-01-02',
    '?time_zone=Mars',
    '?model=a%20b',
    '?model=',
    '?api_key_id=mine',
    '?api_key_id=',
    '?entrypoint=A',
    '?entrypoint=',
    '?outcome=refused',
    '?outcome=',
    '?status=completed',
    '?status=',
    '?limit=0',
    '?limit=101',
    '?cursor=x',
    '?unknown=1',
    '?model=a&model=b',
  ])('answers 400 for %s', async (query) => {
    const answer = await read(query);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.any(String) }]);
  });

  it('needs a session', async () => {
    for (const path of ['', '/req_0Vc3kZ8dQ1mXw7RtYb2LsA'])
      expect((await site.console.request('GET', `/api/billing/requests${path}`)).status).toBe(401);
  });

  describe('as CSV', () => {
    const HEADER =
      'id,created_at,started_at,model,api_key_id,api_key_name,entrypoint,input_tokens,output_tokens,estimated,cost,currency,outcome,status,http_status,error_code,duration_ms,time_to_first_token_ms,tokens_per_second,finish_reason\r\n';

    it('has the texts of the JSON', async () => {
      const { token, apiKeyId } = account;
      await site.database.pool.query(`UPDATE accounts.api_keys SET name = 'a "b", c' WHERE id = $1`, [
        apiKeyId,
      ]);
      await serve({ apiKeyId });
      await serve();
      const { requests } = await page();
      const [plain, keyed] = requests.map(({ id, created_at: at, started_at: start }) =>
        [id, at, start].join(),
      );
      const answer = await site.console.request('GET', '/api/billing/requests', {
        token,
        headers: { Accept: 'text/csv' },
      });
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(answer.text).toBe(
        `${HEADER}${plain},chat,,,gateway,1234,7,false,0.000189301283,USD,completed,charged,200,,,,,\r\n` +
          `${keyed},chat,${apiKeyId},"a ""b"", c",gateway,1234,7,false,0.000189301283,USD,completed,charged,200,,,,,\r\n`,
      );
      expect(await csv('?model=absent')).toBe(HEADER);
    });

    it('has all calls, however many', async () => {
      const batch = Array.from({ length: MANY }, () => ({ ...CHAT, priceListId }));
      await settleRequests(site.database.pool, account.accountId, batch);
      const lines = (await csv()).split('\r\n');
      expect(lines).toHaveLength(MANY + 2);
      expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(MANY + 2);
      expect((await csv('?model=chat')).split('\r\n')).toEqual(lines);
    });

    it.each(['?limit=5', '?cursor=x', '?from=2026-01-02&to=2026-01-01'])(
      'answers 400 for %s',
      async (query) => {
        const answer = await read(query, account, { Accept: 'text/csv' });
        expect([answer.status, answer.body]).toEqual([400, { error: expect.any(String) }]);
      },
    );
  });
});
