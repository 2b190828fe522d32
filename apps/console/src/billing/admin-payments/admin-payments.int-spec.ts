import { type Answer, type SignedIn } from '../../testing/console.fixture';
import { PaymentSite } from '../payments/payments.fixture';

interface Page {
  payments: { id: string; account_id: string; status: string; refunds: { amount: number }[] }[];
  next_cursor: string | null;
}

describe('the payments of all accounts', () => {
  let payments: PaymentSite;
  let admin: SignedIn;
  let ann: SignedIn;
  let ben: SignedIn;
  /** Oldest first: of Ann, of Ben, of Ann. The last one is paid. */
  let ids: string[];

  const list = (query = '', { token } = admin): Promise<Answer> =>
    payments.site.console.request('GET', `/api/admin/billing/payments${query}`, { token });
  const idsOf = async (query: string) => {
    const answer = await list(query);
    expect(answer.status).toBe(200);
    return (answer.body as Page).payments.map(({ id }) => id);
  };

  beforeAll(async () => {
    payments = await PaymentSite.start('intl');
    admin = await payments.site.signedIn('admin');
    [ann, ben] = [await payments.site.signedIn(), await payments.site.signedIn()];
    ids = [];
    for (const account of [ann, ben, ann]) ids.push((await payments.open(account, 'card_provider')).id);
    await payments.sandbox.act(ids[2]!, 'pay');
    await payments.waitForStatus(ann, ids[2]!, 'paid');
    for (const [index, id] of ids.entries())
      await payments.site.database.pool.query(
        `UPDATE billing.payments SET created_at = '2026-03-01T12:00:00Z'::timestamptz + make_interval(days => $2)
         WHERE id = $1`,
        [id, index],
      );
  });
  afterAll(() => payments.stop());

  it('are listed newest first, each with its account and its refunds', async () => {
    await payments.site.console.request('POST', `/api/admin/billing/payments/${ids[2]}/refund`, {
      token: admin.token,
      json: { amount: 7.55, reason: 'Paid twice' },
    });
    const answer = await list();
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { payments: found, next_cursor: cursor } = answer.body as Page;
    expect(cursor).toBeNull();
    expect(found.map(({ id, account_id: account }) => [id, account])).toEqual([
      [ids[2], ann.accountId],
      [ids[1], ben.accountId],
      [ids[0], ann.accountId],
    ]);
    expect(found[0]!.refunds).toEqual([expect.objectContaining({ amount: 7.55, reason: 'Paid twice' })]);
  });

  it('can be selected by account, status, provider and time', async () => {
    expect(await idsOf(`?account_id=${ben.accountId}`)).toEqual([ids[1]]);
    expect(await idsOf('?account_id=acct_0Vc3kZ8dQ1mXw7RtYb2LsA')).toEqual([]);
    expect(await idsOf('?status=paid')).toEqual([ids[2]]);
    expect(await idsOf('?provider=wallet_pay_provider')).toEqual([]);
    expect(await idsOf('?provider=card_provider')).toHaveLength(3);
    expect(await idsOf('?from=2026-03-02T12:00:00Z')).toEqual([ids[2], ids[1]]);
    expect(await idsOf('?to=2026-03-02T12:00:00Z')).toEqual([ids[0]]);
    expect(await idsOf('?from=2026-03-02&to=2026-03-03&time_zone=Asia/Shanghai')).toEqual([ids[1]]);
    expect(await idsOf(`?status=paid&account_id=${ben.accountId}`)).toEqual([]);
  });

  it('are read in pages, and a cursor is for its list only', async () => {
    const first = (await list('?limit=2')).body as Page;
    const second = (await list(`?limit=2&cursor=${first.next_cursor}`)).body as Page;
    expect([...first.payments, ...second.payments].map(({ id }) => id)).toEqual([...ids].reverse());
    expect(second.next_cursor).toBeNull();
    expect((await list(`?limit=2&status=paid&cursor=${first.next_cursor}`)).status).toBe(400);
  });

  it.each([
    'limit=0',
    'cursor=x',
    'status=open',
    'provider=cash',
    'account_id=x',
    'from=2026-03-02&to=2026-03-01',
    'from=yesterday',
    'time_zone=Mars',
  ])('are 400 with %s', async (query) => {
    expect((await list(`?${query}`)).status).toBe(400);
  });

  it('are for admins only', async () => {
    expect((await list('', ann)).status).toBe(403);
  });

  it('are read through an index', async () => {
    const { pool } = payments.site.database;
    await pool.query(
      `
      INSERT INTO billing.payments (id, account_id, provider, amount_minor, currency, created_at, expires_at, next_check_at)
      SELECT 'pay_filler' || n, $1, 'card_provider', 100, 'USD', '2025-01-01'::timestamptz + make_interval(mins => n),
        '2099-01-01', NULL FROM generate_series(1, 20000) n`,
      [ben.accountId],
    );
    await pool.query('ANALYZE billing.payments');
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      'EXPLAIN SELECT * FROM billing.payments ORDER BY created_at DESC, id DESC LIMIT 51',
    );
    expect(rows.map((row) => row['QUERY PLAN']).join(' ')).toContain('payments_time');
  });
});
