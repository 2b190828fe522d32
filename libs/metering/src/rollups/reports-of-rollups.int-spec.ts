import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { instantText } from '@inference/time';
import { type Granularity, GRANULARITIES, timeBuckets } from '../reports/time-buckets';
import { bucketLines, type LineDetail, usageLines } from '../reports/usage-lines.repository';
import {
  createPartitions,
  insertPastEvents,
  type PastEvent,
  rolledUntil,
  rollUp,
} from './usage-history.fixture';

const MICROS_PER_MILLI = 1_000n;
const HOUR_MICROS = 3_600_000_000n;
/** Four months, of which one has 29 days. */
const START = BigInt(Date.UTC(2020, 0, 1)) * MICROS_PER_MILLI;
const HOURS = (31 + 29 + 31 + 30) * 24;
/** The hour before, at and after the start of each month, and around two days. */
const EDGES = [31, 31 + 29, 31 + 29 + 31, 40, 71].flatMap((day) => [day * 24 - 1, day * 24, day * 24 + 1]);
const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York', 'Asia/Shanghai'];
/** Columns by which lines are grouped, and those that are added up. */
const COLUMNS: Record<LineDetail, [keys: string[], sums: string[]]> = {
  usage: [
    ['account_id', 'model', 'entrypoint', 'api_key_id', 'unit'],
    ['quantity', 'tokens', 'cost_picos', 'cost_usd_picos'],
  ],
  account_costs: [
    ['account_id', 'model', 'entrypoint'],
    ['tokens', 'cost_usd_picos'],
  ],
  site_costs: [
    ['model', 'entrypoint'],
    ['tokens', 'cost_usd_picos'],
  ],
};
const DETAILS = Object.keys(COLUMNS) as LineDetail[];

// A property over hundreds of reports.
jest.setTimeout(180_000);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await createPartitions(database.pool, '2020-01-01', '2020-05-01');
});
afterAll(() => database.drop());

const hourOf = fc.oneof(fc.nat(HOURS - 1), fc.constantFrom(...EDGES));
/** Often at the start of an hour, or just before it. */
const instant = fc
  .tuple(hourOf, fc.oneof(fc.constantFrom(0n, 0n, HOUR_MICROS - 1n), fc.bigInt(0n, HOUR_MICROS - 1n)))
  .map(([hour, within]) => START + BigInt(hour) * HOUR_MICROS + within);

const event = fc.record({
  at: instant.map(instantText),
  account: fc.constantFrom('a', 'b', 'c'),
  key: fc.constantFrom('k1', 'k2', null),
  model: fc.constantFrom('m1', 'm2'),
  entrypoint: fc.constantFrom('gateway', 'agent'),
  amount: fc.bigInt(1n, 10n ** 24n),
});

const report = fc.record({
  bounds: fc.uniqueArray(instant, { minLength: 2, maxLength: 2 }).map((times) => [...times].sort(ascending)),
  isOpen: fc.boolean(),
  detail: fc.constantFrom(...DETAILS),
  account: fc.constantFrom('a', null, null),
  granularity: fc.constantFrom(...GRANULARITIES, null, null, null),
  zone: fc.constantFrom(...ZONES),
});
const ascending = (a: bigint, b: bigint) => (a < b ? -1 : 1);
type Report = typeof report extends fc.Arbitrary<infer T> ? T : never;

type Sums = Record<string, unknown>[];

async function reportedSums({ bounds, isOpen, detail, account, granularity, zone }: Report): Promise<Sums> {
  const [from, to] = [bounds[0]!, isOpen ? null : bounds[1]!];
  const buckets = granularity && timeBuckets(granularity, zone, from, to);
  const [keys, sums] = COLUMNS[detail];
  const { rows } = await database.pool.query<Record<string, unknown>>(
    `WITH ${buckets ? bucketLines(detail, buckets.coarsest) : usageLines(detail, 'month')}
     SELECT ${buckets ? 'bucket' : 'NULL AS bucket'}, ${keys.join(', ')}, ${sums.map((sum) => `sum(${sum})::text AS ${sum}`).join(', ')}
     FROM ${buckets ? 'bucket_lines' : 'usage_lines'} GROUP BY 1, ${keys.join(', ')} ORDER BY 1, ${keys.join(', ')}`,
    [
      instantText(from),
      to && instantText(to),
      detail === 'site_costs' ? null : account,
      ...(buckets ? [buckets.starts, buckets.splitHours] : []),
    ],
  );
  return rows;
}

const startOf = (granularity: Granularity, zone: string) =>
  `date_trunc('${granularity}', occurred_at, '${granularity === 'hour' ? 'UTC' : zone}')`;

/** From the events alone. */
async function eventSums({ bounds, isOpen, detail, account, granularity, zone }: Report): Promise<Sums> {
  const [keys, sums] = COLUMNS[detail];
  const { rows } = await database.pool.query<Record<string, unknown>>(
    `SELECT ${granularity ? startOf(granularity, zone) : 'NULL'} AS bucket, ${keys.join(', ')},
       ${sums.map((sum) => `sum(${sum})::text AS ${sum}`).join(', ')}
     FROM (
       SELECT e.occurred_at, e.account_id, e.model, e.entrypoint, coalesce(e.api_key_id, '') AS api_key_id, l.*
       FROM metering.usage_events e, jsonb_to_recordset(e.lines)
         AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
     ) e
     WHERE occurred_at >= $1 AND ($2::timestamptz IS NULL OR occurred_at < $2) AND ($3::text IS NULL OR account_id = $3)
     GROUP BY 1, ${keys.join(', ')} ORDER BY 1, ${keys.join(', ')}`,
    [
      instantText(bounds[0]!),
      isOpen ? null : instantText(bounds[1]!),
      detail === 'site_costs' ? null : account,
    ],
  );
  return rows;
}

/** Hours are open from the watermark on, so later events must not be before it. */
const isAfter = (until: Date | null) => (late: PastEvent) =>
  until === null || Date.parse(late.at) >= until.getTime();

describe('a report', () => {
  it('is the sum of the events, to the last digit, however far the hours are rolled up', async () => {
    let partlyRolled = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 40, maxLength: 60 }),
        fc.array(event, { minLength: 10, maxLength: 20 }),
        fc.nat(70),
        fc.constantFrom(1, 5, 24),
        fc.array(report, { minLength: 12, maxLength: 12 }),
        async (events, lateEvents, steps, hours, reports) => {
          await database.pool.query(
            `TRUNCATE metering.usage_events, metering.hourly_rollup; SELECT metering.forget_rollups('-infinity')`,
          );
          await insertPastEvents(database.pool, events);
          const until = steps === 0 ? null : await rollUp(database.pool, steps, hours);
          if (until && until.getUTCFullYear() === 2020) partlyRolled++;
          for (const next of reports) expect(await reportedSums(next)).toEqual(await eventSums(next));
          await insertPastEvents(database.pool, lateEvents.filter(isAfter(until)));
          for (const next of reports) expect(await reportedSums(next)).toEqual(await eventSums(next));
          await rollUp(database.pool, 2, hours);
          for (const next of reports) expect(await reportedSums(next)).toEqual(await eventSums(next));
        },
      ),
      { numRuns: 20 },
    );
    expect(partlyRolled).toBeGreaterThan(0);
  });

  it('reads hours again where days and months were forgotten', async () => {
    await rollUp(database.pool);
    const whole: Report = {
      bounds: [START, START + BigInt(HOURS) * HOUR_MICROS],
      ...{ isOpen: false, detail: 'usage', account: null, granularity: null, zone: 'UTC' },
    };
    await database.pool.query(`SELECT metering.forget_rollups('2020-02-10T05:00:00Z')`);
    expect(await rolledUntil(database.pool)).toEqual(new Date('2020-02-01T00:00:00Z'));
    expect(await reportedSums(whole)).toEqual(await eventSums(whole));
  });
});
