import { CREDENTIAL_ENTITIES } from '@inference/guards';
import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  type TestAccount,
  type TestDatabase,
} from '@inference/testing';
import fc from 'fast-check';
import { changeKeyLimit, WALLET_ENTITIES } from '.';

const PERIODS = ['day', 'week', 'month'] as const;
const DAY_MILLIS = 86_400_000;
const SAMPLES = 2_000;

interface Sample {
  instant: string;
  zone: string;
  period: (typeof PERIODS)[number];
}

/** The first day of the period of a local date, calculated without PostgreSQL. */
function firstDay({ instant, zone, period }: Sample): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    calendar: 'gregory',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(new Date(instant));
  const date = new Date(`${parts}T00:00:00Z`);
  // Weeks begin with Monday.
  if (period === 'week') date.setTime(date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY_MILLIS);
  if (period === 'month') date.setUTCDate(1);
  return date.toISOString().slice(0, 10);
}

describe('a spending limit of a period', () => {
  let database: TestDatabase;
  let account: TestAccount;

  beforeAll(async () => (database = await createTestDatabase([...CREDENTIAL_ENTITIES, ...WALLET_ENTITIES])));
  beforeEach(async () => (account = await insertAccount(database.pool, { balancePicos: 10n ** 12n })));
  afterAll(() => database.drop());

  const calculate = async (samples: Sample[]) => {
    const { rows } = await database.pool.query<{
      starts: string;
      ends: Date;
      isWithin: boolean;
      isOver: boolean;
    }>(
      `SELECT starts::text, ends, ends > instant AS "isWithin", wallet.period_start(period, ends, zone) > starts AS "isOver"
       FROM ROWS FROM (jsonb_to_recordset($1) AS (instant timestamptz, zone text, period text))
         WITH ORDINALITY AS s(instant, zone, period, number)
       CROSS JOIN LATERAL (SELECT wallet.period_start(period, instant, zone) AS starts) b
       CROSS JOIN LATERAL (SELECT wallet.period_end(period, starts, zone) AS ends) e
       ORDER BY number`,
      [JSON.stringify(samples)],
    );
    return rows;
  };

  it('begins with the local day, in any zone and at any time, and ends after it', async () => {
    const sample = fc.record({
      instant: fc
        .date({
          min: new Date('2013-01-01T00:00:00Z'),
          max: new Date('2024-01-01T00:00:00Z'),
          noInvalidDate: true,
        })
        .map((date) => date.toISOString()),
      zone: fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
      period: fc.constantFrom(...PERIODS),
    });
    const { rows: known } = await database.pool.query<{ name: string }>('SELECT name FROM pg_timezone_names');
    const zones = new Set(known.map(({ name }) => name));
    const samples = fc.sample(sample, SAMPLES).filter(({ zone }) => zones.has(zone));
    expect(samples.length).toBeGreaterThan(SAMPLES * 0.9);
    const rows = await calculate(samples);
    rows.forEach(({ starts, isWithin, isOver }, index) => {
      const shown = JSON.stringify(samples[index]);
      expect([shown, starts, isWithin, isOver]).toEqual([shown, firstDay(samples[index]!), true, true]);
    });
  });

  it.each<[string, Sample, string, string]>([
    [
      'a day that does not exist',
      { instant: '2011-12-30T09:59:00Z', zone: 'Pacific/Apia', period: 'day' },
      '2011-12-29',
      '2011-12-30T10:00:00.000Z',
    ],
    [
      'a midnight that does not exist',
      { instant: '2018-11-04T02:30:00Z', zone: 'America/Sao_Paulo', period: 'day' },
      '2018-11-03',
      '2018-11-04T03:00:00.000Z',
    ],
    [
      'a day of 23 hours',
      { instant: '2026-03-29T12:00:00Z', zone: 'Europe/Berlin', period: 'day' },
      '2026-03-29',
      '2026-03-29T22:00:00.000Z',
    ],
    [
      'the month with the leap day',
      { instant: '2024-02-29T23:00:00Z', zone: 'UTC', period: 'month' },
      '2024-02-01',
      '2024-03-01T00:00:00.000Z',
    ],
  ])('ends rightly at %s', async (_what, sample, starts, ends) => {
    const [row] = await calculate([sample]);
    expect([row!.starts, row!.ends.toISOString()]).toEqual([starts, ends]);
  });

  async function keyWithLimit(limitPicos: bigint): Promise<string> {
    const { apiKeyId } = await insertApiKey(database.pool, account.accountId, {
      spendLimitPicos: limitPicos,
    });
    await database.pool.transaction((transaction) =>
      changeKeyLimit(transaction, account.accountId, apiKeyId, {
        limitPicos,
        period: 'day',
        timeZone: 'Asia/Kolkata',
      }),
    );
    return apiKeyId;
  }
  let leases = 0;
  const draw = async (apiKeyId: string, need: bigint) => {
    leases += 1;
    const { rows } = await database.pool.query<{ granted: bigint | null; refusal: string | null }>(
      'SELECT granted_picos AS granted, refusal FROM wallet.draw_lease($1, $2, null, $3, $4, $5, $5, 30)',
      [account.accountId, apiKeyId, `lse_period_${leases}`, 'test', need],
    );
    return rows[0]!;
  };
  const endPeriod = (apiKeyId: string, spentPicos: bigint) =>
    database.pool.query(
      'UPDATE wallet.key_budgets SET period_starts_on = period_starts_on - 1, period_spent_picos = $2 WHERE api_key_id = $1',
      [apiKeyId, spentPicos],
    );

  it('holds under concurrent first calls of a period, with what is set aside from the former one', async () => {
    const apiKeyId = await keyWithLimit(100n);
    expect(await draw(apiKeyId, 40n)).toEqual({ granted: 40n, refusal: null });
    // The rest is spent, and the period ends. What runs will settle in the new one.
    await endPeriod(apiKeyId, 60n);
    const draws = await Promise.all(Array.from({ length: 12 }, () => draw(apiKeyId, 20n)));
    expect(draws.filter(({ granted }) => granted === 20n)).toHaveLength(3);
    expect(draws.filter(({ refusal }) => refusal === 'key_limit')).toHaveLength(9);
  });

  it('counts a call in the period in which it is settled', async () => {
    const apiKeyId = await keyWithLimit(100n);
    const append = (cost: number, days: number) =>
      database.pool.query(
        `INSERT INTO metering.unfolded_usage (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos,
           cost_usd_picos, calls, limited_picos, appended_at)
         VALUES ($1, date_trunc('hour', now(), 'UTC'), 'm', 'gateway', 'per_million_tokens', $2, 1, 1, $3, $3, 1, 0,
           clock_timestamp() - make_interval(days => $4))`,
        [account.accountId, apiKeyId, cost, days],
      );
    const budget = async () => {
      await database.pool.query('UPDATE wallet.wallets SET leased_picos = 1000 WHERE account_id = $1', [
        account.accountId,
      ]);
      await database.pool.query('SELECT metering.fold_account($1)', [account.accountId]);
      const { rows } = await database.pool.query<{ spent: bigint; period: bigint }>(
        'SELECT spent_picos AS spent, period_spent_picos AS period FROM wallet.key_budgets WHERE api_key_id = $1',
        [apiKeyId],
      );
      return rows[0]!;
    };
    await append(7, 0);
    await append(5, 2);
    await append(1, 0);
    expect(await budget()).toEqual({ spent: 13n, period: 8n });
    await append(2, 1);
    expect(await budget()).toEqual({ spent: 15n, period: 8n });
    await append(4, 0);
    const { rows } = await database.pool.query<{ counted: bigint }>(
      'SELECT counted_picos AS counted FROM wallet.key_spending WHERE api_key_id = $1',
      [apiKeyId],
    );
    expect(rows[0]!.counted).toBe(12n);
  });
});
