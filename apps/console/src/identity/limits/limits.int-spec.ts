import { dayLasts, insertApiKey } from '@inference/testing';
import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { type AccountLimitsResponse, type LimitHistoryResponse, type LimitsResponse } from './limits.dto';

const TIERS = [
  { name: 'Free', models: { '*': { rpm: 60, tpm: 40_000, tpd: 1_000_000, max_concurrency: 4 } } },
  { name: 'Tier 1', paid: 20, models: { '*': { rpm: 600 }, large: { rpm: 10 } } },
  { name: 'Tier 2', paid: 20, age_days: 30, models: { '*': { rpm: 6_000 } } },
];

describe('the limits of an account', () => {
  let site: TestSite;
  let owner: SignedIn;
  let admin: SignedIn;
  const read = async ({ token } = owner) =>
    (await site.console.request('GET', '/api/limits', { token })).body as LimitsResponse;
  const path = () => `/api/admin/accounts/${owner.accountId}/limits`;
  const set = (json: object, { token } = admin) => site.console.request('PUT', path(), { token, json });
  const remove = (query = '') => site.console.request('DELETE', path() + query, { token: admin.token });
  const events = async () => {
    const { body } = await site.console.request('GET', '/api/auth/events', { token: owner.token });
    return (body as { events: { type: string; actor_id: string; details: object }[] }).events;
  };
  const line = (name: string, limit: number, more: object = {}) =>
    expect.objectContaining({
      scope: 'account',
      model: '*',
      api_key_id: null,
      name,
      limit,
      used: 0,
      set_by_staff: false,
      ...more,
    }) as object;

  beforeAll(async () => {
    await dayLasts();
    site = await TestSite.start({ MODEL_RATE_LIMIT_TIERS: JSON.stringify(TIERS) });
    admin = await site.signedIn('admin');
  });
  beforeEach(async () => (owner = await site.signedIn()));
  afterAll(() => site.stop());

  const pay = async (picos: bigint, reference = 'payment') => {
    const { rows } = await site.database.pool.query<{ id: string }>(
      `INSERT INTO wallet.transfers (id, kind, account_id, reference, description)
       VALUES ('txn_' || gen_random_uuid(), $2, $1, $3 || ':' || gen_random_uuid(), 'test') RETURNING id`,
      [owner.accountId, picos > 0n ? 'topup' : 'adjustment', reference],
    );
    await site.database.pool.query(
      `INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
       VALUES ($1, 'wallet:' || $2, $3::numeric), ($1, 'provider:test', -$3::numeric)`,
      [rows[0]!.id, owner.accountId, picos],
    );
    await site.database.pool.query(
      'UPDATE wallet.wallets SET balance_picos = balance_picos + $2 WHERE account_id = $1',
      [owner.accountId, picos],
    );
  };

  it('are those of its tier, which rises with what was paid and with age', async () => {
    expect(await read()).toEqual({
      tier: { name: 'Free', paid: 0, age_days: 0 },
      next_tier: { name: 'Tier 1', paid: 20, age_days: 0 },
      paid: 0,
      age_days: 0,
      limits: [
        line('requests_per_minute', 60),
        line('tokens_per_minute', 40_000),
        line('tokens_per_day', 1_000_000),
        line('concurrency', 4),
      ],
    });
    await pay(20_000_000_000_000n);
    expect(await read()).toMatchObject({
      tier: { name: 'Tier 1' },
      next_tier: { name: 'Tier 2', age_days: 30 },
      limits: [line('requests_per_minute', 600), line('requests_per_minute', 10, { model: 'large' })],
    });
    await site.database.pool.query(
      "UPDATE accounts.accounts SET created_at = now() - interval '31 days' WHERE id = $1",
      [owner.accountId],
    );
    expect(await read()).toMatchObject({ tier: { name: 'Tier 2' }, next_tier: null, age_days: 31 });
    await pay(-1_000_000_000_000n, 'refund');
    expect(await read()).toMatchObject({ tier: { name: 'Free' }, paid: 19 });
  });

  it('show those of its keys, and what is used', async () => {
    const { apiKeyId } = await insertApiKey(site.database.pool, owner.accountId);
    await site.database.pool.query('UPDATE accounts.api_keys SET requests_per_minute = 7 WHERE id = $1', [
      apiKeyId,
    ]);
    await site.database.pool.query(
      `WITH s AS (INSERT INTO limits.subjects (id, account_id, day, day_tokens, drawn_at)
         VALUES ('key:' || $1, $2, now(), 0, now()), ('account:' || $2 || ':chat', $2, now(), 50, now()) RETURNING id)
       INSERT INTO limits.slices (subject_id, id, requests, tokens, ends_at)
       SELECT id, 'slc_1', 3, 30, now() FROM s UNION ALL SELECT id, 'slc_2', 9, 9, now() - interval '61 seconds' FROM s`,
      [apiKeyId, owner.accountId],
    );
    const { limits } = await read();
    expect(limits).toEqual(
      expect.arrayContaining([
        line('requests_per_minute', 7, { scope: 'key', model: null, api_key_id: apiKeyId, used: 3 }),
        line('tokens_per_minute', 40_000, { model: 'chat', used: 30 }),
        line('tokens_per_day', 1_000_000, { model: 'chat', used: 50 }),
      ]),
    );
  });

  describe('over days', () => {
    const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10);
    const history = (query = '', path = '/api/limits/history', { token } = owner) =>
      site.console.request('GET', path + query, { token });
    const adminPath = () => `/api/admin/accounts/${owner.accountId}/limits/history`;
    /** As a gateway tells it: in the order of the columns, without those of tokens a minute. */
    const use = async (before: number, subjectId: string, values: (number | null)[], of = owner) => {
      await site.database.pool.query(
        `INSERT INTO limits.day_uses (account_id, subject_id, day, requests, request_limit, running, running_limit, day_tokens, day_limit,
           refused_requests, refused_running, refused_day, tokens, refused_tokens)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, 0)`,
        [of.accountId, subjectId, day(before), ...values],
      );
    };

    it('show the most that was used of each, its limit and its refusals, to the account and to staff alone', async () => {
      const subject = `account:${owner.accountId}:large/one`;
      await use(29, subject, [7, 10, 0, null, 50, 1_000, 3, 0, 0]);
      await use(0, subject, [60, 60, 0, null, 900, 600, 0, 0, 4]);
      await use(30, subject, [1, 10, 0, null, 0, null, 0, 0, 0]);
      await use(1, 'key:key_of_them', [0, null, 2, 3, 40, null, 0, 9, 0]);
      const other = await site.signedIn();
      await use(1, 'key:key_of_others', [1, 2, 0, null, 0, null, 0, 0, 0], other);
      const place = { scope: 'account', model: 'large/one', api_key_id: null };
      const expected = {
        from: day(29),
        to: day(0),
        limits: [
          {
            ...place,
            name: 'requests_per_minute',
            days: [
              { day: day(29), limit: 10, used: 7, refusals: 3 },
              { day: day(0), limit: 60, used: 60, refusals: 0 },
            ],
          },
          {
            ...place,
            name: 'tokens_per_day',
            days: [
              { day: day(29), limit: 1_000, used: 50, refusals: 0 },
              { day: day(0), limit: 600, used: 600, refusals: 4 },
            ],
          },
          {
            ...{ scope: 'key', model: null, api_key_id: 'key_of_them', name: 'concurrency' },
            days: [{ day: day(1), limit: 3, used: 2, refusals: 9 }],
          },
        ],
      };
      const answer = await history();
      expect([answer.status, answer.body]).toEqual([200, expected]);
      expect((await history('', adminPath(), admin)).body).toEqual(expected);
      const { limits } = (await history(`?from=${day(30)}&to=${day(30)}`)).body as LimitHistoryResponse;
      expect(limits.map(({ days }) => days)).toEqual([[{ day: day(30), limit: 10, used: 1, refusals: 0 }]]);
      expect((await history('', '/api/limits/history', other)).body).toMatchObject({
        limits: [{ api_key_id: 'key_of_others' }],
      });
    });

    it('are those of the fullest minute of each day, with the limit of then', async () => {
      const midnight = Math.floor(Date.now() / 86_400_000 + 1) * 86_400;
      const first = midnight / 5 - 20;
      const told = (part: number, requests: number, limit: number | null, running = 0) => ({
        ...{ id: 's', account_id: owner.accountId, part: first + part, requests, tokens: 0, running },
        ...{ request_limit: limit, token_limit: null, running_limit: 4, day_limit: null },
        ...{ refused_requests: 1, refused_tokens: 0, refused_running: 0, refused_day: 0 },
      });
      const readAll = async () =>
        (
          await site.database.pool.query<{ used: [number, number]; running: number; refused: number }>(
            `SELECT ARRAY[requests, request_limit]::float8[] AS used, running, refused_requests::float8 AS refused
             FROM limits.day_uses WHERE account_id = $1 ORDER BY day`,
            [owner.accountId],
          )
        ).rows;
      const note = async (...uses: object[]) => {
        await site.database.pool.query('SELECT limits.note_use(60, $1)', [JSON.stringify(uses)]);
        return (await readAll()).map(({ used }) => used);
      };
      expect(await note(told(0, 10, 100, 3), told(11, 5, 100))).toEqual([[15, 100]]);
      // A minute later the first ones do not count any more; those of another process that tells them late do.
      expect(await note(told(12, 6, 100, 1))).toEqual([[15, 100]]);
      expect(await note(told(11, 4, 100, 2))).toEqual([[19, 100]]);
      // A lower limit was used up. A higher one changes nothing of that.
      expect(await note(told(13, 5, 20))).toEqual([[20, 20]]);
      expect(await note(told(13, 0, 600))).toEqual([[20, 20]]);
      expect(await note(told(13, 10, 600))).toEqual([[30, 600]]);
      // Without a limit nothing is kept of it, but of before.
      expect(await note(told(13, 1_000, null))).toEqual([[30, 600]]);
      // The minute around midnight belongs to the day in which it ends. What was admitted without a limit counts against one of then.
      expect(await note(told(30, 1, 600), told(19, 7, 600))).toEqual([
        [600, 600],
        [8, 600],
      ]);
      expect((await readAll()).map(({ running, refused }) => [running, refused])).toEqual([
        [3, 9],
        [0, 1],
      ]);
    });

    it.each([
      ['?from=2026-02-30', 'from: must be a date'],
      ['?to=tomorrow', 'to: must be a date'],
      ['?from=2026-01-01&to=tomorrow', 'to: must be a date'],
      ['?from=2026-01-01&to=-271821-04-20', 'to: must be a date'],
      ['?from=2026-01-01&to=2026-01-02&to=2026-01-03', 'to: must be'],
      ['?from=2026-02-02&to=2026-02-01', 'from: must not be after `to`'],
      ['?from=2026-01-01&to=2026-04-04', 'from: must be at most 92 days before `to`'],
    ])('are not shown by %s', async (query, message) => {
      const answer = await history(query);
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: expect.stringContaining(message) as string },
      ]);
    });

    it('are not shown to others, nor of an unknown account', async () => {
      expect((await site.console.request('GET', '/api/limits/history', {})).status).toBe(401);
      expect((await history('', adminPath())).status).toBe(403);
      const unknown = await history('', '/api/admin/accounts/acct_unknown/limits/history', admin);
      expect([unknown.status, unknown.body]).toEqual([404, { error: 'no such account' }]);
    });
  });

  it('are set by staff with a reason, for a model or all others, until an end', async () => {
    const ends = new Date(Date.now() + 86_400_000).toISOString();
    const answer = await set({ rpm: 5, tpd: 1_000_000_000_000, reason: ' Launch ', ends_at: ends });
    expect(answer.status).toBe(200);
    expect((answer.body as AccountLimitsResponse).overrides).toEqual([
      {
        ...{ model: '*', rpm: 5, tpm: null, tpd: 1_000_000_000_000, max_concurrency: null },
        ...{ reason: 'Launch', set_by: admin.accountId, ends_at: ends },
        set_at: expect.stringMatching(/Z$/) as string,
      },
    ]);
    await set({ model: 'large/one', max_concurrency: 1, reason: 'Abuse' });
    expect((await read()).limits).toEqual([
      line('requests_per_minute', 5, { set_by_staff: true }),
      line('tokens_per_day', 1_000_000_000_000, { set_by_staff: true }),
      line('concurrency', 1, { model: 'large/one', set_by_staff: true }),
    ]);
    expect((await events()).map(({ type }) => type)).toEqual(['admin.limits_set', 'admin.limits_set']);
    const { details } = (await events())[1]!;
    expect(details).toMatchObject({ model: '*', rpm: 5, tpm: null, ends_at: ends });
    expect(details).not.toHaveProperty('reason');
    expect((await remove('?model=large%2Fone')).status).toBe(204);
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect((await read()).limits[0]).toEqual(line('requests_per_minute', 60));
    expect((await events())[0]).toMatchObject({ type: 'admin.limits_removed', details: { model: '*' } });
  });

  it.each([
    [{ rpm: 5 }, 'reason'],
    [{ rpm: 0, reason: 'a' }, 'rpm'],
    [{ tpd: 1e13, reason: 'a' }, 'tpd'],
    [{ reason: 'a', ends_at: '2020-01-01T00:00:00Z' }, 'ends_at: must be in the future'],
    [{ reason: 'a', model: 'a b' }, 'model'],
  ])('are not set by %j', async (json, message) => {
    const answer = await set(json);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: expect.stringContaining(message) as string },
    ]);
  });

  it('are not set by customers, nor for an unknown account', async () => {
    expect((await set({ reason: 'a' }, owner)).status).toBe(403);
    for (const method of ['GET', 'PUT']) {
      const json = method === 'GET' ? undefined : { reason: 'a' };
      const answer = await site.console.request(method, '/api/admin/accounts/acct_unknown/limits', {
        token: admin.token,
        ...(json && { json }),
      });
      expect([answer.status, answer.body]).toEqual([404, { error: 'no such account' }]);
    }
  });
});
