import fc from 'fast-check';
import { inTransaction } from '@inference/database';
import { charge, type PriceUnit, UNIT_DIGITS, type UnitRate } from '@inference/metering';
import { decimalToPicos, decimalToScaled, type ExactNumber, parseExact } from '@inference/money';
import { createTestDatabase, insertAccount, type TestAccount, type TestDatabase } from '@inference/testing';
import { settleRequest, TestConsole } from '../../testing/console.fixture';

/** Four days with the end of a month and, in the database's time zone, the start of daylight saving time. */
const TIME_ZONE = 'Europe/Berlin';
const START = Date.parse('2025-03-29T00:00:00Z');
const PARTITION = `
  CREATE TABLE metering.usage_events_spring PARTITION OF metering.usage_events
  FOR VALUES FROM ('2025-03-01T00:00:00Z') TO ('2025-05-01T00:00:00Z')`;
const MICROS_PER_HOUR = 3_600_000_000;
const HOURS = 96;
const OPENING_PICOS = 10n ** 15n;

const RATES: Record<string, UnitRate[]> = {
  chat: [
    { unit: 'per_million_input_tokens', ratePicos: 150_001n },
    { unit: 'per_million_output_tokens', ratePicos: 600_007n },
  ],
  embed: [{ unit: 'per_million_tokens', ratePicos: 7n }],
  'a "model"': [{ unit: 'per_request', ratePicos: 1_000_003n }],
};

interface Used {
  model: string;
  inputTokens: number;
  outputTokens: number;
  /** In microseconds from START. */
  at: number;
}

interface Row {
  timestamp: string;
  model: string;
  unit: PriceUnit;
  quantity: ExactNumber;
  cost: ExactNumber;
}

const instant = (micros: number) => {
  const text = new Date(START + Math.floor(micros / 1_000)).toISOString().slice(0, -1);
  return `${text}${String(micros % 1_000).padStart(3, '0')}Z`;
};

const micros = fc.integer({ min: 0, max: HOURS * MICROS_PER_HOUR - 1 });
const used: fc.Arbitrary<Used> = fc.record({
  model: fc.constantFrom(...Object.keys(RATES)),
  inputTokens: fc.integer({ min: 0, max: 1_000_000 }),
  outputTokens: fc.integer({ min: 0, max: 1_000_000 }),
  // Often at the edges of hours, and several events in one hour.
  at: fc.oneof(
    micros,
    fc
      .record({ hour: fc.integer({ min: 1, max: 5 }), edge: fc.integer({ min: -1, max: 1 }) })
      .map(({ hour, edge }) => hour * MICROS_PER_HOUR + edge),
  ),
});
/** At a random time, at the beginning of an hour, or near an event. */
const bound = fc.oneof(
  micros.map((at) => () => at),
  fc.integer({ min: 0, max: HOURS }).map((hour) => () => hour * MICROS_PER_HOUR),
  fc.tuple(fc.nat(), fc.integer({ min: -1, max: 1 })).map(([n, edge]) => (events: Used[]) => {
    return Math.max(0, events[n % events.length]!.at + edge);
  }),
);

describe('sums of the usage', () => {
  let database: TestDatabase;
  let console: TestConsole;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.pool.query(PARTITION);
    const { rows } = await database.pool.query<{ name: string }>('SELECT current_database() AS name');
    await database.pool.query(`ALTER DATABASE ${rows[0]!.name} SET TimeZone = '${TIME_ZONE}'`);
    console = await TestConsole.start(database.urlFor('console'));
  });
  afterAll(async () => {
    await console.close();
    await database.drop();
  });

  /** Settles the event now, as the gateway does, and moves it to its time. */
  const use = ({ accountId }: TestAccount, { model, inputTokens, outputTokens, at }: Used) =>
    inTransaction(database.pool, async (client) => {
      await settleRequest(client, accountId, {
        model,
        rates: RATES[model]!,
        usage: { inputTokens, outputTokens },
      });
      const now = [accountId, instant(at)];
      const recent = "account_id = $1 AND %s > now() - interval '2 hours'";
      await client.query(
        `UPDATE metering.usage_events SET occurred_at = $2 WHERE ${recent.replace('%s', 'occurred_at')}`,
        now,
      );
      await client.query(
        `UPDATE wallet.transfers SET hour = date_trunc('hour', $2::timestamptz, 'UTC')
         WHERE kind = 'usage' AND ${recent.replace('%s', 'hour')}`,
        now,
      );
      await client.query(
        `WITH moved AS (DELETE FROM metering.hourly_rollup WHERE ${recent.replace('%s', 'hour')} RETURNING *)
         INSERT INTO metering.hourly_rollup AS r
         SELECT account_id, date_trunc('hour', $2::timestamptz, 'UTC'), model, entrypoint, unit, quantity, tokens,
           cost_picos, cost_usd_picos FROM moved
         ON CONFLICT (account_id, hour, model, entrypoint, unit) DO UPDATE SET quantity = r.quantity + excluded.quantity,
           tokens = r.tokens + excluded.tokens, cost_picos = r.cost_picos + excluded.cost_picos,
           cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos`,
        now,
      );
    });

  const get = async <T>(path: string, token: string) =>
    parseExact((await console.request('GET', path, { token })).text) as T;

  /** Quantity and cost of the answer by `bucket model unit`. */
  async function shown(query: string, token: string): Promise<Map<string, [bigint, bigint]>> {
    const { usage } = await get<{ usage: Row[] }>(`/api/billing/usage?${query}`, token);
    const rows = usage.map((row): [string, [bigint, bigint]] => [
      `${row.timestamp} ${row.model} ${row.unit}`,
      [decimalToScaled(String(row.quantity), UNIT_DIGITS[row.unit]), decimalToPicos(String(row.cost))],
    ]);
    const sums = new Map(rows);
    expect(sums.size).toBe(rows.length);
    return sums;
  }

  function expected(events: Used[], from: number, to: number, granularity: 'day' | 'hour') {
    const sums = new Map<string, [bigint, bigint]>();
    const bucketMicros = granularity === 'day' ? 24 * MICROS_PER_HOUR : MICROS_PER_HOUR;
    for (const { model, at, ...usage } of events.filter((event) => event.at >= from && event.at < to))
      for (const { unit, quantity, costPicos } of charge(RATES[model]!, usage, 10n ** 10n).lines) {
        const bucket = new Date(START + Math.floor(at / bucketMicros) * (bucketMicros / 1_000)).toISOString();
        const [quantitySum, costSum] = sums.get(`${bucket} ${model} ${unit}`) ?? [0n, 0n];
        sums.set(`${bucket} ${model} ${unit}`, [quantitySum + BigInt(quantity), costSum + costPicos]);
      }
    return sums;
  }

  const costOf = (sums: Map<string, [bigint, bigint]>) =>
    [...sums.values()].reduce((sum, [, cost]) => sum + cost, 0n);

  it('equal the sums of the events by day and hour, the transactions and the balance', async () => {
    const events = fc.array(used, { minLength: 1, maxLength: 10 });
    const ranges = fc.array(fc.tuple(bound, bound), { minLength: 4, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(events, ranges, async (happened, bounds) => {
        const account = await insertAccount(database.pool, { balancePicos: OPENING_PICOS });
        for (const each of happened) await use(account, each);
        const token = await console.openSession(account.accountId);

        const whole: [number, number] = [0, HOURS * MICROS_PER_HOUR];
        for (const [from, to] of [whole, ...bounds.map(([a, b]) => [a(happened), b(happened)])] as const) {
          const [first, last] = [Math.min(from!, to!), Math.max(from!, to!)];
          if (first === last) continue;
          for (const granularity of ['day', 'hour'] as const)
            expect(
              await shown(`from=${instant(first)}&to=${instant(last)}&granularity=${granularity}`, token),
            ).toEqual(expected(happened, first, last, granularity));
        }

        const cost = costOf(await shown(`from=${instant(0)}`, token));
        const { balance } = await get<{ balance: ExactNumber }>('/api/billing/settings', token);
        expect(decimalToPicos(String(balance))).toBe(OPENING_PICOS - cost);
        const { transactions } = await get<{ transactions: { type: string; amount: ExactNumber }[] }>(
          '/api/billing/transactions?limit=100',
          token,
        );
        const debits = transactions.filter(({ type }) => type === 'usage');
        expect(debits.reduce((sum, { amount }) => sum - decimalToPicos(String(amount)), 0n)).toBe(cost);
      }),
      { numRuns: 15 },
    );
  });
});
