import { type Posting, postTransfer } from '@inference/wallet';
import { type SignedIn, TestSite } from '../../testing/console.fixture';

interface Page {
  transactions: { id: string; type: string; amount: number; created_at: string; description: string }[];
  next_cursor: string | null;
}

const ADJUSTMENT = { kind: 'adjustment', counterpart: 'equity:adjustments' } as const;
const TOPUP = { kind: 'topup', counterpart: 'provider:card_provider' } as const;

describe('transactions', () => {
  let site: TestSite;
  let account: SignedIn;
  const read = (query = '', { token } = account) =>
    site.console.request('GET', `/api/billing/transactions${query}`, { token });
  const page = async (query = '') => (await read(query)).body as Page;
  const post = (
    amountPicos: bigint,
    description: string,
    { kind, counterpart }: Pick<Posting, 'kind' | 'counterpart'> = ADJUSTMENT,
  ) =>
    site.database.pool.transaction((client) =>
      postTransfer(client, {
        kind,
        accountId: account.accountId,
        amountPicos,
        counterpart,
        reference: `${account.accountId} ${description}`,
        description,
      }),
    );
  const insertHour = (hour: string, model: string, unit: string, costPicos: bigint) =>
    site.database.pool.query(
      `INSERT INTO metering.hourly_rollup VALUES ($1, $2, $3, 'gateway', $4, 1, 1, $5, $5)`,
      [account.accountId, hour, model, unit, costPicos],
    );

  beforeAll(async () => (site = await TestSite.start()));
  beforeEach(async () => (account = await site.signedIn()));
  afterAll(() => site.stop());

  it('are empty for a new account', async () => {
    expect((await read()).text).toBe('{"transactions":[],"next_cursor":null}');
  });

  it('show top-ups and adjustments exactly, newest first', async () => {
    await post(9_007_199_254_740_993_000_001n, 'Welcome');
    await post(-1n, 'Correction');
    const { text, body } = await read();
    const { transactions } = body as Page;
    expect(transactions.map(({ description }) => description)).toEqual(['Correction', 'Welcome']);
    expect(transactions[0]).toEqual({
      id: expect.stringMatching(/^txn_/),
      type: 'adjustment',
      amount: -1e-12,
      currency: 'USD',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      description: 'Correction',
      cause: 'correction',
      payment_id: null,
      provider: null,
      model: null,
    });
    expect(text).toContain('"amount":-0.000000000001,');
    expect(text).toContain('"amount":9007199254.740993000001,');
  });

  it('are the same for an admin', async () => {
    const admin = await site.signedIn('admin');
    await post(9_007_199_254_740_993_000_001n, 'Welcome');
    await post(-1n, 'Correction');
    const asAdmin = (id: string, query = '') =>
      site.console.request('GET', `/api/admin/accounts/${id}/transactions${query}`, { token: admin.token });
    const [seen, own] = [await asAdmin(account.accountId, '?limit=1'), await read('?limit=1')];
    expect([seen.status, seen.text]).toEqual([200, own.text]);
    expect((await asAdmin('acct_unknown')).status).toBe(404);
    expect((await asAdmin(account.accountId, '?limit=0')).status).toBe(400);
    const path = `/api/admin/accounts/${account.accountId}/transactions`;
    expect((await site.console.request('GET', path, { token: account.token })).status).toBe(403);
  });

  it('have a type and a description', async () => {
    await post(20_000_000_000_000n, 'Top-up by card', TOPUP);
    await post(-5_000_000_000_000n, 'Refund', { ...ADJUSTMENT, counterpart: TOPUP.counterpart });
    await insertHour('2026-03-01T10:00:00Z', 'chat', 'per_request', 1n);
    expect((await page()).transactions).toMatchObject([
      { type: 'adjustment', amount: -5, description: 'Refund' },
      { type: 'topup', amount: 20, description: 'Top-up by card' },
      { type: 'usage', amount: -1e-12 },
    ]);
  });

  it('tell the refund that its provider refused, and name no payment that does not exist', async () => {
    await site.database.pool.transaction((client) =>
      postTransfer(client, {
        ...ADJUSTMENT,
        accountId: account.accountId,
        amountPicos: 5n,
        reference: `refund:rfd_${account.accountId}:reversal`,
        description: 'Refund of payment pay_1 did not succeed',
      }),
    );
    expect((await page()).transactions).toMatchObject([
      { type: 'adjustment', cause: 'refund_failed', payment_id: null, provider: null },
    ]);
  });

  it('show usage as one line per model and closed hour, with a stable id', async () => {
    await insertHour('2026-03-01T10:00:00Z', 'chat', 'per_million_input_tokens', 1n);
    await insertHour('2026-03-01T10:00:00Z', 'chat', 'per_million_output_tokens', 2n);
    await insertHour('2026-03-01T10:00:00Z', 'free', 'per_million_tokens', 0n);
    const [hour] = (
      await site.database.pool.query<{ hour: Date }>("SELECT date_trunc('hour', now()) AS hour")
    ).rows;
    await insertHour(hour!.hour.toISOString(), 'chat', 'per_million_input_tokens', 5n);
    const first = await read();
    expect((first.body as Page).transactions).toEqual([
      {
        id: expect.stringMatching(/^use_[0-9a-f]{32}$/),
        type: 'usage',
        amount: -3e-12,
        currency: 'USD',
        created_at: '2026-03-01T11:00:00.000Z',
        description: 'Usage of chat, 2026-03-01 10:00 to 11:00 UTC',
        cause: 'usage',
        payment_id: null,
        provider: null,
        model: 'chat',
      },
    ]);
    expect((await read()).text).toBe(first.text);
  });

  it('page without losing or repeating a line while lines are added', async () => {
    // All within one millisecond, some within one microsecond, and two usage lines at the same time.
    for (let n = 0; n < 12; n++) await post(10n, `line ${n}`);
    await site.database.pool.query(
      `UPDATE wallet.transfers t SET created_at = '2026-03-01T11:00:00Z'::timestamptz + s.n / 2 * interval '1 microsecond'
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM wallet.transfers WHERE account_id = $1) s WHERE s.id = t.id`,
      [account.accountId],
    );
    await insertHour('2026-03-01T10:00:00Z', 'a', 'per_request', 1n);
    await insertHour('2026-03-01T10:00:00Z', 'b', 'per_request', 1n);
    const whole = (await page('?limit=100')).transactions.map(({ id }) => id);
    expect(new Set(whole).size).toBe(14);
    for (const limit of [1, 2, 3, 5, 13]) {
      const walked: string[] = [];
      let cursor: string | null = null;
      do {
        const next: Page = await page(`?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`);
        walked.push(...next.transactions.map(({ id }) => id));
        cursor = next.next_cursor;
        await post(1n, `added after ${walked.length} by ${limit}`);
      } while (cursor !== null);
      const added = walked.length - whole.length;
      expect(added).toBeGreaterThanOrEqual(0);
      expect(walked.slice(added)).toEqual(whole);
      await site.database.pool.query(
        "DELETE FROM wallet.entries WHERE transfer_id IN (SELECT id FROM wallet.transfers WHERE description LIKE 'added%')",
      );
      await site.database.pool.query("DELETE FROM wallet.transfers WHERE description LIKE 'added%'");
    }
  });

  it('have 50 lines a page by default, and no cursor after a full last page', async () => {
    for (let n = 0; n < 51; n++) await post(1n, `n${n}`);
    const first = await page();
    expect(first.transactions).toHaveLength(50);
    const last = await page(`?cursor=${first.next_cursor}`);
    expect([last.transactions.length, last.next_cursor]).toEqual([1, null]);
    expect((await page('?limit=51')).next_cursor).toBeNull();
  });

  it('refuse a cursor of another account', async () => {
    for (const name of ['a', 'b']) await post(1n, name);
    const { next_cursor: cursor } = await page('?limit=1');
    expect((await read(`?cursor=${cursor}`)).status).toBe(200);
    const otherAccount = await site.signedIn();
    expect((await read(`?cursor=${cursor}`, otherAccount)).status).toBe(400);
  });

  it('refuse a cursor of another list or site', async () => {
    for (const name of ['a', 'b']) await post(1n, name);
    const { next_cursor: cursor } = await page('?limit=1');
    for (const list of ['/api/auth/events', '/api/billing/payments']) {
      const answer = await site.console.request('GET', `${list}?cursor=${cursor}`, { token: account.token });
      expect([list, answer.status]).toEqual([list, 400]);
    }
    const other = await TestSite.start({ SITE: 'cn' });
    const { token } = await other.signedIn();
    const answer = await other.console.request('GET', `/api/billing/transactions?cursor=${cursor}`, {
      token,
    });
    await other.stop();
    expect(answer.status).toBe(400);
  });

  it('answer 400 for a changed cursor', async () => {
    for (const name of ['a', 'b']) await post(1n, name);
    const cursor = (await page('?limit=1')).next_cursor!;
    const [digest, at, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
    const encode = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    expect(encode(digest, at, id)).toBe(cursor);
    const changed = [
      ...Array.from(cursor, (character, n) => {
        return cursor.slice(0, n) + (character === 'A' ? 'B' : 'A') + cursor.slice(n + 1);
      }),
      cursor.slice(1),
      cursor.slice(0, -1),
      cursor + cursor,
      encode(digest, '2026-03-01T11:00:00.000000Z', id),
      encode(digest, at, 'txn_other'),
      encode(account.accountId, at, id),
      encode('', at, id),
    ];
    const statuses = await Promise.all(changed.map(async (each) => (await read(`?cursor=${each}`)).status));
    expect(new Set(statuses)).toEqual(new Set([400]));
  });

  it('answer 400 for an invalid cursor', async () => {
    await post(1n, 'a');
    await post(1n, 'b');
    const cursor = (await page('?limit=1')).next_cursor!;
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const at = '2026-03-01T11:00:00.000000Z';
    for (const bad of [
      '',
      'x',
      '%00',
      `${cursor}=`,
      `${cursor}%20`,
      `${cursor}&cursor=${cursor}`,
      cursor.slice(0, -3),
      encode(null),
      encode({}),
      encode([account.accountId]),
      encode([account.accountId, at]),
      encode([account.accountId, '2026-99-01T11:00:00.000000Z', 'a']),
      encode([account.accountId, '2026-02-31T11:00:00.000000Z', 'a']),
      encode([account.accountId, 'infinity', 'a']),
      encode([account.accountId, at, 'a\0']),
      encode([account.accountId, at, 'a', 'b']),
    ]) {
      const answer = await read(`?cursor=${bad}`);
      expect([bad, answer.status, answer.body]).toEqual([bad, 400, { error: expect.any(String) }]);
    }
  });

  it.each(
    [
      '0',
      '101',
      '-1',
      '1.5',
      '1e1',
      'many',
      '',
      '%00',
      '5&limit=6',
      '1000',
      '000',
      '0x5',
      '%2B5',
      '5%20',
      '%D9%A5',
    ].concat('9'.repeat(400)),
  )('answer 400 for limit=%s', async (limit) => {
    const answer = await read(`?limit=${limit}`);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.any(String) }]);
  });

  it('answer 400 for an unknown parameter', async () => {
    expect((await read('?limit=7&unknown=1')).status).toBe(400);
  });

  it.each(['limit=1', 'limit=100', ''])('accept ?%s', async (query) => {
    expect((await read(`?${query}`)).status).toBe(200);
  });

  it("are limited to the caller's account", async () => {
    await post(1n, 'mine');
    expect((await read('', await site.signedIn('admin'))).body).toEqual({
      transactions: [],
      next_cursor: null,
    });
  });
});
