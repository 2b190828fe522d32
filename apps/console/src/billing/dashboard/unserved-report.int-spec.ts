import { newId } from '@inference/database';
import { parseExact } from '@inference/money';
import { dayLasts } from '@inference/testing';
import { type SignedIn, TestSite } from '../../testing/console.fixture';

type Row = Record<string, unknown>;

let site: TestSite;
let support: SignedIn;
let customers: SignedIn[];
let today: string;

/** Calls of an account of the present day. */
const add = (
  account: SignedIn,
  calls: number,
  values: { kind: string; code: string; model: string | null; upstream: string | null },
) =>
  site.database.pool.query(
    `INSERT INTO metering.unserved_calls (request_id, occurred_at, started_at, account_id, model, entrypoint, endpoint, kind,
       http_status, error_code, upstream, duration_ms)
     SELECT $1 || n, $8::timestamptz, now(), $2, $3, 'gateway', 'chat/completions', $4, 500, $5, $6, 1
     FROM generate_series(1, $7) n`,
    [
      newId('req'),
      account.accountId,
      values.model,
      values.kind,
      values.code,
      values.upstream,
      calls,
      `${today}T00:00:00Z`,
    ],
  );

beforeAll(async () => {
  await dayLasts();
  today = new Date().toISOString().slice(0, 10);
  site = await TestSite.start();
  support = await site.signedIn('support');
  customers = [await site.signedIn('user'), await site.signedIn('user')];
  const failed = { kind: 'failed', code: 'upstream_error', model: 'large', upstream: 'gpu-1' };
  for (const customer of customers) await add(customer, 3, failed);
  await add(customers[0]!, 2, { ...failed, upstream: 'gpu-2' });
  await add(customers[0]!, 1_100, { kind: 'refused', code: 'rate_limited', model: '=large', upstream: null });
  await add(customers[1]!, 4, { kind: 'refused', code: 'model_not_found', model: null, upstream: null });
});
afterAll(() => site.stop());

const get = (query: string, headers = {}) =>
  site.console.request('GET', `/api/admin/reports/unserved-calls?${query}`, {
    token: support.token,
    headers,
  });
async function read(query: string) {
  const { status, text } = await get(query);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return parseExact(text) as unknown as {
    calls: unknown;
    left_out_calls: unknown;
    rows: Row[];
    recorded_since: string;
  };
}
/** The values of the rows as texts. */
const rowsOf = async (query: string) =>
  (await read(query)).rows.map((row) => Object.values(row).map(String).join(' '));

describe('the report of refused and failed calls', () => {
  it.each([
    ['', ['refused rate_limited 1100 1', 'failed upstream_error 8 2', 'refused model_not_found 4 1']],
    ['group_by=upstream&status=failed', ['gpu-1 6 2', 'gpu-2 2 1']],
    ['group_by=day,model', ['today =large 1100 1', 'today large 8 2', 'today null 4 1']],
    ['group_by=error_code&model=large', ['upstream_error 8 2']],
    ['group_by=model&error_code=upstream_error&upstream=gpu-2', ['large 2 1']],
    ['group_by=', ['1112 2']],
    ['group_by=&model=other', []],
    [`from=2020-01-01&to=2020-01-05`, []],
  ])('counts calls and accounts: %s', async (query, rows) => {
    expect(await rowsOf(query)).toEqual(rows.map((row) => row.replace('today', today)));
  });

  it('tells since when calls are kept, and counts those beyond its rows', async () => {
    await site.database.pool.query(
      `INSERT INTO metering.unserved_calls (request_id, occurred_at, started_at, account_id, model, entrypoint, endpoint, kind, http_status, error_code, duration_ms)
       SELECT 'req_many' || n, date_trunc('day', now(), 'UTC'), now(), $1, 'made-up-' || n, 'gateway', 'chat/completions', 'refused', 404, 'many', 1
       FROM generate_series(1, 1003) n`,
      [customers[0]!.accountId],
    );
    const report = await read('group_by=model&error_code=many');
    expect([report.rows.length, String(report.calls), String(report.left_out_calls)]).toEqual([
      1_000,
      '1003',
      '3',
    ]);
    expect(Date.parse(report.recorded_since)).not.toBeNaN();
  });

  it('is a CSV file, too, whose cells are no formulas', async () => {
    const { text } = await get('group_by=model&error_code=rate_limited', { Accept: 'text/csv' });
    expect(text).toBe("day,status,error_code,model,upstream,calls,accounts\r\n,,,'=large,,1100,1\r\n");
  });

  it.each([
    'group_by=account',
    'status=charged',
    'from=x',
    'from=2026-01-02&to=2026-01-02',
    'from=2026-01-01&to=2026-03-01',
  ])('refuses %s', async (query) => {
    expect((await get(query)).status).toBe(400);
  });
});
