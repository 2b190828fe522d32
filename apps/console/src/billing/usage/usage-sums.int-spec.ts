import fc from 'fast-check';
import { charge, countsOf, type PriceUnit, UNIT_DIGITS } from '@inference/metering';
import { decimalToPicos, decimalToScaled, type ExactNumber, parseExact } from '@inference/money';
import { createTestDatabase, insertAccount, type TestDatabase } from '@inference/testing';
import { ENTITIES } from '../../entities';
import { TestConsole } from '../../testing/console.fixture';
import { instant, PARTITION, RATES, settleAt, type Used, type Window } from './usage.fixture';

/** Time zones, each with the first of four days. */
const WINDOWS = [
  ['UTC', '2025-03-29'],
  // The clocks change, by an hour, or by half an hour in Lord Howe.
  ['Europe/Berlin', '2025-03-29'],
  ['America/New_York', '2025-11-01'],
  ['America/St_Johns', '2025-11-01'],
  ['Australia/Adelaide', '2025-10-04'],
  ['Australia/Lord_Howe', '2025-04-05'],
  ['Pacific/Chatham', '2025-04-05'],
  // Midnight is skipped, or comes twice.
  ['America/Santiago', '2025-09-06'],
  ['Atlantic/Azores', '2025-10-25'],
  // The offset becomes or is no longer one of whole hours, and a day is skipped.
  ['America/Caracas', '2016-04-30'],
  ['America/Caracas', '2007-12-08'],
  ['Asia/Pyongyang', '2018-05-03'],
  ['Pacific/Apia', '2011-12-29'],
  ['Asia/Shanghai', '2025-03-29'],
  ['Asia/Kolkata', '2025-03-29'],
  ['Asia/Kathmandu', '2025-12-30'],
] as const;
/** The zone of the database, which must not matter. */
const TIME_ZONE = 'Europe/Berlin';
const MICROS_PER_HOUR = 3_600_000_000;
const MICROS_PER_MINUTE = 60_000_000;
const MILLIS_PER_MINUTE = 60_000;
const HOURS = 96;
const OPENING_PICOS = 10n ** 15n;

interface Row {
  timestamp: string;
  model: string;
  unit: PriceUnit;
  quantity: ExactNumber;
  cost: ExactNumber;
}

/** Looks for the minute in which the date changes on the clocks of the zone, backwards from the event. */
function startOfDay({ timeZone, start }: Window, micros: number): string {
  const clock = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  let minute = start + Math.floor(micros / MICROS_PER_MINUTE) * MILLIS_PER_MINUTE;
  const date = clock.format(minute);
  while (clock.format(minute - MILLIS_PER_MINUTE) === date) minute -= MILLIS_PER_MINUTE;
  return new Date(minute).toISOString();
}

const startOfHour = ({ start }: Window, micros: number) =>
  new Date(start + Math.floor(micros / MICROS_PER_HOUR) * (MICROS_PER_HOUR / 1_000)).toISOString();

const micros = fc.integer({ min: 0, max: HOURS * MICROS_PER_HOUR - 1 });
/** Within an hour of the start of a day, often at it. */
const nearStartOfDay = (window: Window) =>
  fc
    .record({
      day: fc.integer({ min: 1, max: 3 }),
      distance: fc.oneof(
        fc.integer({ min: -1, max: 1 }),
        fc.integer({ min: -MICROS_PER_HOUR, max: MICROS_PER_HOUR }),
      ),
    })
    .map(({ day, distance }) => {
      const startMillis = Date.parse(startOfDay(window, day * 24 * MICROS_PER_HOUR));
      return Math.max(0, (startMillis - window.start) * 1_000 + distance);
    });
const usedIn = (window: Window): fc.Arbitrary<Used> =>
  fc.record({
    model: fc.constantFrom(...Object.keys(RATES)),
    inputTokens: fc.integer({ min: 0, max: 1_000_000 }),
    outputTokens: fc.integer({ min: 0, max: 1_000_000 }),
    at: fc.oneof(micros, nearStartOfDay(window)),
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
    database = await createTestDatabase(ENTITIES);
    await database.pool.query(PARTITION);
    const { rows } = await database.pool.query<{ name: string }>('SELECT current_database() AS name');
    await database.pool.query(`ALTER DATABASE ${rows[0]!.name} SET TimeZone = '${TIME_ZONE}'`);
    console = await TestConsole.start(database.urlFor('console'));
  });
  afterAll(async () => {
    await console.close();
    await database.drop();
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

  function expected(events: Used[], from: number, to: number, bucketOf: (micros: number) => string) {
    const sums = new Map<string, [bigint, bigint]>();
    for (const { model, at, ...usage } of events.filter((event) => event.at >= from && event.at < to))
      for (const { unit, quantity, costPicos } of charge(RATES[model]!, countsOf(usage), 10n ** 10n).lines) {
        const key = `${bucketOf(at)} ${model} ${unit}`;
        const [quantitySum, costSum] = sums.get(key) ?? [0n, 0n];
        sums.set(key, [quantitySum + BigInt(quantity), costSum + costPicos]);
      }
    return sums;
  }

  const costOf = (sums: Map<string, [bigint, bigint]>) =>
    [...sums.values()].reduce((sum, [, cost]) => sum + cost, 0n);

  it.each(WINDOWS)(
    'equal the sums of the events, the transactions and the balance: %s, %s',
    async (timeZone, date) => {
      const window = { timeZone, start: Date.parse(date) };
      const events = fc.array(usedIn(window), { minLength: 1, maxLength: 10 });
      const ranges = fc.array(fc.tuple(bound, bound), { minLength: 4, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(events, ranges, async (happened, bounds) => {
          const account = await insertAccount(database.pool, { balancePicos: OPENING_PICOS });
          for (const each of happened) await settleAt(database, account, window, each);
          const token = await console.openSession(account.accountId);

          const whole: [number, number] = [0, HOURS * MICROS_PER_HOUR];
          for (const [from, to] of [whole, ...bounds.map(([a, b]) => [a(happened), b(happened)])] as const) {
            const [first, last] = [Math.min(from!, to!), Math.max(from!, to!)];
            if (first === last) continue;
            const range = `from=${instant(window, first)}&to=${instant(window, last)}&time_zone=${window.timeZone}`;
            const byDay = expected(happened, first, last, (at) => startOfDay(window, at));
            expect(await shown(`${range}&granularity=day`, token)).toEqual(byDay);
            const byHour = expected(happened, first, last, (at) => startOfHour(window, at));
            expect(await shown(`${range}&granularity=hour`, token)).toEqual(byHour);
          }

          const cost = costOf(await shown(`from=${instant(window, 0)}&time_zone=${window.timeZone}`, token));
          const { balance } = await get<{ balance: ExactNumber }>('/api/billing/settings', token);
          expect(decimalToPicos(String(balance))).toBe(OPENING_PICOS - cost);
          const { transactions } = await get<{ transactions: { type: string; amount: ExactNumber }[] }>(
            '/api/billing/transactions?limit=100',
            token,
          );
          const debits = transactions.filter(({ type }) => type === 'usage');
          expect(debits.reduce((sum, { amount }) => sum - decimalToPicos(String(amount)), 0n)).toBe(cost);
        }),
        { numRuns: 2 },
      );
    },
  );
});
