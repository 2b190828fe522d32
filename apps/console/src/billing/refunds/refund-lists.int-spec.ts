import { type Answer, type SignedIn, TestSite } from '../../testing/console.fixture';
import { insertPayment, insertRefund } from '../documents/documents.fixture';
import { type Payment } from '../payments/payment.entity';

interface Page {
  refunds: { id: string; payment_id: string; account_id: string; ended_at: string | null }[];
  next_cursor: string | null;
}

let site: TestSite;
let admin: SignedIn;
let ann: SignedIn;
let ben: SignedIn;
let annsPayment: Payment;
/** Oldest first: a failed and a partial one of Ann's payment, a pending one of Ben's. */
let ids: string[];

const get = (path: string, { token }: SignedIn): Promise<Answer> =>
  site.console.request('GET', path, { token });

beforeAll(async () => {
  site = await TestSite.start();
  admin = await site.signedIn('admin');
  [ann, ben] = [await site.signedIn(), await site.signedIn()];
  const { pool } = site.database;
  annsPayment = await insertPayment(pool, ann.accountId, { amountMinor: 2_000n });
  const bensPayment = await insertPayment(pool, ben.accountId, { amountMinor: 300n });
  ids = [
    await insertRefund(pool, annsPayment, { status: 'failed' }),
    await insertRefund(pool, annsPayment, { amountMinor: 755n, reason: 'Paid twice' }),
    await insertRefund(pool, bensPayment, { status: 'pending' }),
  ];
  await pool.query("UPDATE billing.refunds SET failure = 'card is closed' WHERE id = $1", [ids[0]]);
  for (const [index, id] of ids.entries())
    await pool.query(
      `UPDATE billing.refunds SET created_at = '2026-03-01T12:00:00Z'::timestamptz + make_interval(days => $2)
       WHERE id = $1`,
      [id, index],
    );
});
afterAll(() => site.stop());

describe('the refunds of an account', () => {
  const list = async (query = '', account = ann) => {
    const answer = await get(`/api/billing/refunds${query}`, account);
    expect(answer.status).toBe(200);
    return answer.body as Page;
  };

  it('are listed newest first with their payment, without the reason of the provider', async () => {
    const instant = expect.stringMatching(/Z$/) as string;
    expect(await list()).toEqual({
      refunds: [
        {
          id: ids[1],
          payment_id: annsPayment.id,
          amount: 7.55,
          currency: 'USD',
          status: 'succeeded',
          reason: 'Paid twice',
          created_at: '2026-03-02T12:00:00.000Z',
          ended_at: instant,
        },
        {
          id: ids[0],
          payment_id: annsPayment.id,
          amount: 20,
          currency: 'USD',
          status: 'failed',
          created_at: '2026-03-01T12:00:00.000Z',
          ended_at: instant,
        },
      ],
      next_cursor: null,
    });
  });

  it('are those of its own payments only', async () => {
    expect(await list('', ben)).toMatchObject({
      refunds: [{ id: ids[2], status: 'pending', ended_at: null }],
    });
    expect(await list('', await site.signedIn())).toEqual({ refunds: [], next_cursor: null });
  });

  it('are read in pages, and a cursor is for its account only', async () => {
    const first = await list('?limit=1');
    const second = await list(`?limit=1&cursor=${first.next_cursor}`);
    expect([...first.refunds, ...second.refunds].map(({ id }) => id)).toEqual([ids[1], ids[0]]);
    expect(second.next_cursor).toBeNull();
    expect((await get(`/api/billing/refunds?limit=1&cursor=${first.next_cursor}`, ben)).status).toBe(400);
  });

  it.each(['limit=0', 'cursor=x'])('are 400 with %s', async (query) => {
    expect((await get(`/api/billing/refunds?${query}`, ann)).status).toBe(400);
  });
});

describe('the refunds of all accounts', () => {
  const list = async (query = '') => {
    const answer = await get(`/api/admin/billing/refunds${query}`, admin);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    return answer.body as Page;
  };
  const idsOf = async (query: string) => (await list(query)).refunds.map(({ id }) => id);

  it('are listed newest first, each with its account and the reason of a failure', async () => {
    const { refunds, next_cursor: cursor } = await list();
    expect(cursor).toBeNull();
    expect(refunds).toMatchObject([
      { id: ids[2], account_id: ben.accountId, amount: 3, status: 'pending', failure: null, ended_at: null },
      { id: ids[1], account_id: ann.accountId, payment_id: annsPayment.id, reason: 'Paid twice' },
      { id: ids[0], account_id: ann.accountId, failure: 'card is closed' },
    ]);
  });

  it('can be selected by account and status', async () => {
    expect(await idsOf(`?account_id=${ben.accountId}`)).toEqual([ids[2]]);
    expect(await idsOf('?account_id=acct_0Vc3kZ8dQ1mXw7RtYb2LsA')).toEqual([]);
    expect(await idsOf('?status=failed')).toEqual([ids[0]]);
    expect(await idsOf(`?status=failed&account_id=${ben.accountId}`)).toEqual([]);
  });

  it('are read in pages, and a cursor is for its list only', async () => {
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.next_cursor}`);
    expect([...first.refunds, ...second.refunds].map(({ id }) => id)).toEqual([...ids].reverse());
    expect(second.next_cursor).toBeNull();
    const other = `/api/admin/billing/refunds?limit=2&status=failed&cursor=${first.next_cursor}`;
    expect((await get(other, admin)).status).toBe(400);
  });

  it.each(['limit=0', 'cursor=x', 'status=open', 'account_id=x'])('are 400 with %s', async (query) => {
    expect((await get(`/api/admin/billing/refunds?${query}`, admin)).status).toBe(400);
  });

  it('are for admins only', async () => {
    expect((await get('/api/admin/billing/refunds', ann)).status).toBe(403);
  });

  it('are read through an index', async () => {
    const { pool } = site.database;
    await pool.query(
      `
      INSERT INTO billing.refunds (id, payment_id, amount_minor, status, ordered_by, created_at, ended_at)
      SELECT 'rfd_filler' || n, $1, 1, 'failed', $2, '2025-01-01'::timestamptz + make_interval(mins => n), now()
      FROM generate_series(1, 20000) n`,
      [annsPayment.id, admin.accountId],
    );
    await pool.query('ANALYZE billing.refunds');
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT * FROM billing.refunds r JOIN billing.payments p ON p.id = r.payment_id
       ORDER BY r.created_at DESC, r.id DESC LIMIT 51`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join(' ')).toContain('refunds_time');
  });
});
