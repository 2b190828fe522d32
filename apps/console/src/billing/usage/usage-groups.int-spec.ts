import fc from 'fast-check';
import { charge, countsOf, type PriceUnit, RATE_DIGITS, UNIT_DIGITS } from '@inference/metering';
import { decimalToPicos, decimalToScaled, type ExactNumber, parseExact } from '@inference/money';
import { insertAccount, insertApiKey, type TestAccount } from '@inference/testing';
import { TestSite } from '../../testing/console.fixture';
import { instant, PARTITION, RATES, settleAt, type Used, type Window } from './usage.fixture';

const ZONES = ['UTC', 'Asia/Shanghai', 'America/New_York', 'Asia/Kolkata'];
const ONE_USD = 10n ** BigInt(RATE_DIGITS);
const MICROS_PER_HOUR = 3_600_000_000;
/** From the end of October, when clocks change, into December. */
const FIRST_DAY = '2025-10-30';
const HOURS = 34 * 24;
const BALANCE_PICOS = 10n ** 15n;

interface Row {
  timestamp: string;
  model?: string;
  api_key?: { id: string; name: string; prefix: string } | null;
  entrypoint?: string;
  unit: PriceUnit;
  quantity: ExactNumber;
  cost: ExactNumber;
}
type Sums = Map<string, [quantity: bigint, cost: bigint]>;

function sumsOf(rows: Row[], keyOf: (row: Row) => string): Sums {
  const sums: Sums = new Map();
  for (const row of rows) {
    const [quantity, cost] = sums.get(keyOf(row)) ?? [0n, 0n];
    sums.set(keyOf(row), [
      quantity + decimalToScaled(String(row.quantity), UNIT_DIGITS[row.unit]),
      cost + decimalToPicos(String(row.cost)),
    ]);
  }
  return sums;
}

const keyName = ({ api_key: key }: Row) => key?.id ?? 'none';
const groupOf = (row: Row) => [row.model, keyName(row), row.entrypoint, row.unit].join(' ');

describe('usage in groups', () => {
  let site: TestSite;

  beforeAll(async () => {
    site = await TestSite.start();
    await site.database.pool.query(PARTITION);
  });
  afterAll(() => site.stop());

  const get = (query: string, token: string, headers = {}) =>
    site.console.request('GET', `/api/billing/usage?${query}`, { token, headers });
  const rowsOf = async (query: string, token: string) =>
    (parseExact((await get(query, token)).text) as { usage: Row[] }).usage;

  const eventsWith = (keys: (string | null)[]): fc.Arbitrary<Used[]> =>
    fc.array(
      fc.record({
        model: fc.constantFrom(...Object.keys(RATES)),
        inputTokens: fc.integer({ min: 0, max: 1_000_000 }),
        outputTokens: fc.integer({ min: 0, max: 1_000_000 }),
        at: fc.integer({ min: 0, max: HOURS * MICROS_PER_HOUR - 1 }),
        apiKeyId: fc.constantFrom(...keys),
        entrypoint: fc.constantFrom('gateway', 'agent'),
      }),
      { minLength: 1, maxLength: 8 },
    );

  async function openAccount(): Promise<{ account: TestAccount; keys: (string | null)[]; token: string }> {
    const account = await insertAccount(site.database.pool, { balancePicos: BALANCE_PICOS });
    const second = await insertApiKey(site.database.pool, account.accountId);
    const keys = [null, account.apiKeyId, second.apiKeyId];
    return { account, keys, token: await site.console.openSession(account.accountId) };
  }

  it.each(ZONES)('has the same sums however it is grouped, filtered and divided: %s', async (timeZone) => {
    const window: Window = { timeZone, start: Date.parse(FIRST_DAY) };
    const monthOf = (timestamp: string) =>
      new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit' }).format(
        new Date(timestamp),
      );
    for (let run = 0; run < 3; run++) {
      const { account, keys, token } = await openAccount();
      const events = fc.sample(eventsWith(keys), 1)[0]!;
      for (const event of events) await settleAt(site.database, account, window, event);
      const [first, last] = fc
        .sample(
          fc.tuple(fc.integer({ min: 0, max: HOURS / 2 }), fc.integer({ min: HOURS / 2 + 1, max: HOURS })),
          1,
        )[0]!
        .map((hours) => hours * MICROS_PER_HOUR + 1) as [number, number];
      const range = `from=${instant(window, first)}&to=${instant(window, last)}&time_zone=${timeZone}`;
      const all = 'group_by=model,api_key,entrypoint';

      const expected: Sums = new Map();
      for (const { model, apiKeyId, entrypoint, at, ...usage } of events) {
        if (at < first || at >= last) continue;
        for (const { unit, quantity, costPicos } of charge(RATES[model]!, countsOf(usage), ONE_USD).lines) {
          const group = [model, apiKeyId ?? 'none', entrypoint, unit].join(' ');
          const [quantities, costs] = expected.get(group) ?? [0n, 0n];
          expected.set(group, [quantities + quantity, costs + costPicos]);
        }
      }
      const byDay = await rowsOf(`${range}&${all}`, token);
      expect(sumsOf(byDay, groupOf)).toEqual(expected);

      // Any grouping adds up what a finer one has divided.
      const total = (row: Row) => `${row.timestamp} ${row.unit}`;
      for (const granularity of ['hour', 'day', 'month']) {
        const divided = `${range}&granularity=${granularity}`;
        const finest = await rowsOf(`${divided}&${all}`, token);
        expect(sumsOf(finest, groupOf)).toEqual(expected);
        const sums = sumsOf(finest, total);
        for (const grouping of ['', '&group_by=', '&group_by=api_key', '&group_by=entrypoint,model'])
          expect(sumsOf(await rowsOf(divided + grouping, token), total)).toEqual(sums);
        const byKey = await rowsOf(`${divided}&group_by=api_key`, token);
        expect(sumsOf(byKey, (row) => `${total(row)} ${keyName(row)}`)).toEqual(
          sumsOf(finest, (row) => `${total(row)} ${keyName(row)}`),
        );
        const filtered: Row[] = [];
        for (const key of keys)
          filtered.push(...(await rowsOf(`${divided}&api_key_id=${key ?? 'none'}`, token)));
        expect(sumsOf(filtered, total)).toEqual(sums);
      }

      const byMonth = await rowsOf(`${range}&granularity=month&${all}`, token);
      for (const { timestamp } of byMonth)
        expect(monthOf(new Date(Date.parse(timestamp) - 1).toISOString())).not.toBe(monthOf(timestamp));
      const monthly = (row: Row) => `${monthOf(row.timestamp)} ${groupOf(row)}`;
      expect(sumsOf(byMonth, monthly)).toEqual(sumsOf(byDay, monthly));
    }
  });

  it('names the key of a group, and has rows sorted by the dimensions', async () => {
    const { account, keys, token } = await openAccount();
    const window = { timeZone: 'UTC', start: Date.parse(FIRST_DAY) };
    const used = { model: 'embed', inputTokens: 1, outputTokens: 0, at: 5 };
    for (const apiKeyId of [...keys].reverse())
      await settleAt(site.database, account, window, { ...used, apiKeyId });
    const rows = await rowsOf(
      'from=2025-10-01&to=2025-11-01&granularity=month&group_by=api_key,model',
      token,
    );
    expect(rows.map((row) => [row.api_key?.id ?? null, row.api_key?.name, row.model])).toEqual([
      [null, undefined, 'embed'],
      ...keys
        .slice(1)
        .sort()
        .map((id) => [id, 'test', 'embed']),
    ]);
    expect(rows[0]).toHaveProperty('api_key', null);
    expect(rows[0]!.timestamp).toBe('2025-10-01T00:00:00.000Z');
    expect(Object.keys(rows[1]!.api_key!)).toEqual(['id', 'name', 'prefix']);
    const model = await rowsOf('from=2025-10-01&to=2025-11-01&model=chat', token);
    expect(model).toEqual([]);
    const agents = await rowsOf('from=2025-10-01&to=2025-11-01&entrypoint=agent', token);
    expect(agents).toEqual([]);
  });

  it('is CSV with the texts of the JSON, and without formulas', async () => {
    const { account, token } = await openAccount();
    const window = { timeZone: 'UTC', start: Date.parse(FIRST_DAY) };
    const { apiKeyId } = account;
    await site.database.pool.query(`UPDATE accounts.api_keys SET name = '=a, b' WHERE id = $1`, [apiKeyId]);
    const used = { inputTokens: 9_007_199, outputTokens: 3, at: 5, apiKeyId };
    await settleAt(site.database, account, window, { ...used, model: 'a "model"' });
    await settleAt(site.database, account, window, { ...used, model: 'chat', apiKeyId: null });
    const period = 'from=2025-10-01&to=2025-11-01';
    const answer = await get(period, token, { Accept: 'text/csv' });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('vary')).toContain('Accept');
    expect(answer.text).toBe(
      'timestamp,model,quantity,unit,cost,currency\r\n' +
        '2025-10-30T00:00:00.000Z,"a ""model""",1,per_request,0.000001000003,USD\r\n' +
        '2025-10-30T00:00:00.000Z,chat,9.007199,per_million_input_tokens,1.351088857199,USD\r\n' +
        '2025-10-30T00:00:00.000Z,chat,0.000003,per_million_output_tokens,0.000001800021,USD\r\n',
    );
    const grouped = await get(`${period}&granularity=hour&group_by=entrypoint,api_key`, token, {
      Accept: 'text/csv',
    });
    expect(grouped.text.split('\r\n').slice(0, 2)).toEqual([
      'timestamp,entrypoint,api_key_id,api_key_name,quantity,unit,cost,currency',
      '2025-10-30T00:00:00.000Z,gateway,,,9.007199,per_million_input_tokens,1.351088857199,USD',
    ]);
    expect(grouped.text).toContain(`gateway,${apiKeyId},"'=a, b",1,per_request,`);
  });

  it.each([
    'group_by=user',
    'group_by=model,model',
    'group_by=model,',
    'group_by=model&group_by=model',
    'granularity=year',
    'model=',
    'api_key_id=0',
    'entrypoint=Agent',
  ])('answers 400 for ?%s', async (query) => {
    const { token } = await openAccount();
    const answer = await get(query, token);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.any(String) }]);
  });
});
