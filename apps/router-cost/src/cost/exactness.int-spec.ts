import fc from 'fast-check';
import { COST_DIMENSIONS, type CostDimension, type PriceUnit } from '@inference/metering';
import { decimalToPicos } from '@inference/money';
import {
  createTestDatabase,
  insertAccount,
  type Issuer,
  startIssuer,
  TEST_API_KEY_HASH_SECRET,
  type TestAccount,
  type TestDatabase,
  TestPool,
} from '@inference/testing';
import { ENTITIES } from '../entities';
import { insertStaff, type RunningService, startRouterCost } from '../../test/running-service';
import { type Served, type Settled, settle } from '../../test/usage';
import { instantText } from '@inference/time';

const EVENTS = 60;
const HOURS = 5;
const HOUR_MICROS = 3_600_000_000n;
const MODELS = ['small', 'large'];
const ENTRYPOINTS = ['gateway', 'agent', 'memo'];
const UNITS: PriceUnit[][] = [
  ['per_million_tokens'],
  ['per_million_input_tokens', 'per_million_output_tokens', 'per_request'],
  ['per_request'],
];

/** Changes the time of events as the database owner, and updates the rollup as if they were settled at that time. */
const MOVE = `
  UPDATE metering.usage_events e SET occurred_at = m.at
  FROM unnest($1::text[], $2::timestamptz[]) AS m (request_id, at) WHERE e.request_id = m.request_id`;
const ROLL_UP = `
  INSERT INTO metering.hourly_rollup
  SELECT e.account_id, date_trunc('hour', e.occurred_at, 'UTC'), e.model, e.entrypoint, l.unit, sum(l.quantity),
    sum(l.tokens), sum(l.cost_picos), sum(l.cost_usd_picos), e.api_key_id
  FROM metering.usage_events e, jsonb_to_recordset(e.lines)
    AS l (unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
  GROUP BY 1, 2, 3, 4, 5, e.api_key_id`;

let database: TestDatabase;
let issuer: Issuer;
let gateway: TestPool;
let service: RunningService;
let accounts: TestAccount[];
let admin: TestAccount;
let events: Settled[];
/** The start of the time range of all events: an hour of this month, not at either end of it. */
let windowStart: bigint;

/** A different amount for every event, so that two errors cannot cancel each other. */
function arrange(index: number): Served {
  const units = UNITS[index % UNITS.length]!;
  return {
    account: accounts[index % accounts.length]!,
    model: MODELS[index % MODELS.length]!,
    entrypoint: ENTRYPOINTS[index % ENTRYPOINTS.length]!,
    rates: units.map((unit, at) => ({ unit, ratePicos: 3n ** BigInt(1 + (index % 30)) + BigInt(at) })),
    inputTokens: 1 + index * 7,
    outputTokens: index % 4 ? index * 13 : 0,
    usdPerUnit: index % 5 ? 10_000_000_000n : 1_412_345_679n,
  };
}

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  issuer = await startIssuer();
  gateway = TestPool.of({ url: database.urlFor('gateway'), applicationName: 'test gateway', size: 1 });
  const balancePicos = 10n ** 24n;
  accounts = [
    await insertAccount(database.pool, { balancePicos }),
    await insertAccount(database.pool, { balancePicos }),
  ];
  admin = await insertStaff(database.pool, issuer, 'admin');
  service = await startRouterCost({
    DATABASE_URL: database.urlFor('router_cost'),
    CONSOLE_URL: issuer.url,
    API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
  });
  events = await settle(
    gateway,
    Array.from({ length: EVENTS }, (_, index) => arrange(index)),
  );
  const now = new Date();
  windowStart = BigInt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 2)) * 1_000n;
});

afterAll(async () => {
  await service.app.close();
  await issuer.close();
  await gateway.end();
  await database.drop();
});

interface Total {
  costUsdPicos: bigint;
  tokens: bigint;
}

const valueOf: Record<CostDimension, (event: Settled) => string> = {
  user: ({ account }) => account.accountId,
  model: ({ model }) => model,
  entrypoint: ({ entrypoint }) => entrypoint,
  api_key: ({ account }) => account.apiKeyId,
};

/** Computes the expected report from the single events. */
function naiveSums(included: Settled[], dimensions: CostDimension[]): Map<string, Total> {
  const sums = new Map<string, Total>();
  if (dimensions.length === 0) sums.set('', { costUsdPicos: 0n, tokens: 0n });
  for (const event of included) {
    const key = dimensions.map((dimension) => valueOf[dimension](event)).join(' ');
    const { costUsdPicos, tokens } = sums.get(key) ?? { costUsdPicos: 0n, tokens: 0n };
    sums.set(key, {
      costUsdPicos: costUsdPicos + event.costUsdPicos,
      tokens: tokens + BigInt(event.inputTokens + event.outputTokens),
    });
  }
  return sums;
}

async function reportedSums(
  query: string,
  dimensions: CostDimension[],
  caller: TestAccount,
): Promise<Map<string, Total>> {
  const groupBy = dimensions.length ? `&group_by=${dimensions.join(',')}` : '';
  const { status, json, text } = await service.get(
    `/v1/router/cost?${query}${groupBy}&limit=100`,
    caller.apiKey,
  );
  if (status !== 200) throw new Error(`${status} ${text}`);
  const { items } = json as { items: Record<string, string>[] };
  const entries = items.map((item): [string, Total] => [
    dimensions.map((dimension) => item[dimension]).join(' '),
    { costUsdPicos: decimalToPicos(item.cost_usd!), tokens: BigInt(item.tokens!) },
  ]);
  return new Map(entries);
}

/** Returns a random instant in the range, often at the start or end of an hour. */
const moment = () =>
  fc
    .oneof(
      fc.bigInt(0n, BigInt(HOURS) * HOUR_MICROS),
      fc
        .tuple(fc.integer({ min: 0, max: HOURS }), fc.integer({ min: -1, max: 1 }))
        .map(([hour, offset]) => BigInt(hour) * HOUR_MICROS + BigInt(offset)),
    )
    .map((micros) => windowStart + micros);

const range = () =>
  fc.record({
    bounds: fc
      .uniqueArray(moment(), { minLength: 2, maxLength: 2 })
      .map(([a, b]) => (a! < b! ? { from: a!, to: b! } : { from: b!, to: a! })),
    isOpen: fc.boolean(),
    dimensions: fc.subarray([...COST_DIMENSIONS]),
    callerIndex: fc.nat(2),
  });

describe('the cost of any range', () => {
  it('is the sum of the events in it, to the pico, for every grouping and caller', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(moment(), { minLength: EVENTS, maxLength: EVENTS }),
        fc.array(range(), { minLength: 8, maxLength: 8 }),
        async (times, ranges) => {
          await database.pool.query(MOVE, [events.map(({ requestId }) => requestId), times.map(instantText)]);
          await database.pool.query('TRUNCATE metering.hourly_rollup');
          await database.pool.query(ROLL_UP);
          for (const { bounds, isOpen, dimensions, callerIndex } of ranges) {
            const caller = [...accounts, admin][callerIndex]!;
            const to = isOpen ? null : bounds.to;
            const included = events.filter(({ account }, index) => {
              const at = times[index]!;
              const isVisible = caller === admin || caller === account;
              return isVisible && at >= bounds.from && (to === null || at < to);
            });
            const query = `from=${instantText(bounds.from)}${to === null ? '' : `&to=${instantText(to)}`}`;
            expect(await reportedSums(query, dimensions, caller)).toEqual(naiveSums(included, dimensions));
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it.each(['hour', 'day', 'month'])('is divided by the %s without a loss', async (granularity) => {
    const times = fc.sample(moment(), EVENTS);
    await database.pool.query(MOVE, [events.map(({ requestId }) => requestId), times.map(instantText)]);
    await database.pool.query('TRUNCATE metering.hourly_rollup');
    await database.pool.query(ROLL_UP);
    const from = windowStart + 1_234_567_890n;
    for (const timeZone of ['UTC', 'Asia/Kolkata', 'America/New_York']) {
      const query = `from=${instantText(from)}&time_zone=${timeZone}&granularity=${granularity}`;
      const { text } = await service.get(`/v1/router/cost?${query}&group_by=api_key`, admin.apiKey, {
        Accept: 'text/csv',
      });
      const bucketOf = (at: bigint) => {
        const local = new Intl.DateTimeFormat('en-CA', {
          timeZone: granularity === 'hour' ? 'UTC' : timeZone,
          dateStyle: 'short',
          ...(granularity === 'hour' && { timeStyle: 'short', hourCycle: 'h23' }),
        }).format(Number(at / 1_000n));
        return local.slice(0, { hour: 14, day: 10, month: 7 }[granularity]);
      };
      const sums = new Map<string, Total>();
      for (const line of text.trimEnd().split('\r\n').slice(1)) {
        const [timestamp, key, cost, tokens] = line.split(',') as [string, string, string, string];
        const group = `${bucketOf(BigInt(Date.parse(timestamp)) * 1_000n)} ${key}`;
        expect(sums.has(group)).toBe(false);
        sums.set(group, { costUsdPicos: decimalToPicos(cost), tokens: BigInt(tokens) });
      }
      const expected = new Map<string, Total>();
      for (const [index, event] of events.entries()) {
        if (times[index]! < from) continue;
        const group = `${bucketOf(times[index]!)} ${event.account.apiKeyId}`;
        const { costUsdPicos, tokens } = expected.get(group) ?? { costUsdPicos: 0n, tokens: 0n };
        expected.set(group, {
          costUsdPicos: costUsdPicos + event.costUsdPicos,
          tokens: tokens + BigInt(event.inputTokens + event.outputTokens),
        });
      }
      expect(sums).toEqual(expected);
    }
  });

  it('equals in total the amount that settlement debited', async () => {
    const { rows } = await database.pool.query<{ debited: bigint; cost: bigint; cost_usd: bigint }>(
      `SELECT (SELECT sum(amount_picos) FROM wallet.entries WHERE ledger_account = 'revenue:usage') AS debited,
         sum(cost_picos) AS cost, sum(cost_usd_picos) AS cost_usd FROM metering.usage_events`,
    );
    const reported = await reportedSums('from=2000-01-01', [], admin);
    expect(rows[0]!.debited).toBe(rows[0]!.cost);
    expect(rows[0]!.cost).toBe(events.reduce((sum, { costPicos }) => sum + costPicos, 0n));
    expect(reported.get('')!.costUsdPicos).toBe(rows[0]!.cost_usd);
    expect(rows[0]!.cost_usd).not.toBe(rows[0]!.cost);
  });
});
