import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { ENTITIES } from '../../entities';
import { sumNextHours, USAGE_BEFORE, USAGE_OF_PERIOD } from './dashboard.repository';

/** 180 days with 24 hours, 20 accounts and 5 models: 432,000 rows of hours. */
const FILL = `
  INSERT INTO metering.hourly_rollup (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos, calls)
  SELECT 'acct_' || a, date_trunc('day', now(), 'UTC') - make_interval(hours => h), 'model-' || m, 'gateway', 'per_million_tokens', '',
    h, h, h * a, h * a, 1
  FROM generate_series(0, 180 * 24 - 1) h, generate_series(1, 20) a, generate_series(1, 5) m`;
const ROWS_OF_AN_HOUR = 20 * 5;

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

describe('the statements of the dashboard', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase(ENTITIES);
    await database.pool.query(FILL);
    await database.pool.query(
      "UPDATE metering.rollup_progress SET rolled_until = date_trunc('hour', now(), 'UTC')",
    );
    while (await database.pool.transaction((transaction) => sumNextHours(transaction, new Date())));
    await database.pool.query('ANALYZE');
  });
  afterAll(() => database.drop());

  it.each(Object.entries({ USAGE_OF_PERIOD, USAGE_BEFORE }))(
    '%s reads the hours that are not summed only, once, by the index of hours',
    async (_name, statement) => {
      for (const days of [0, 90, 179]) {
        const from = new Date(Math.floor(Date.now() / 86_400_000 - days) * 86_400_000);
        const { rows } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
          [from, new Date()],
        );
        const hours = nodesOf(rows[0]!['QUERY PLAN'][0].Plan).filter(
          (node) => node['Relation Name'] === 'hourly_rollup' || node['Index Name'] === 'hourly_rollup_hour',
        );
        expect(hours.flatMap((node) => node['Index Name'] ?? [])).toEqual(['hourly_rollup_hour']);
        for (const node of hours) {
          const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
          expect([days, node['Node Type'], read <= ROWS_OF_AN_HOUR]).toEqual([days, node['Node Type'], true]);
        }
      }
    },
  );

  it('read no hour of a period that ends before the sums', async () => {
    const to = new Date(Math.floor(Date.now() / 86_400_000 - 3) * 86_400_000 + 15 * 3_600_000);
    const { rows } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${USAGE_BEFORE}`,
      [new Date(to.getTime() - 7 * 86_400_000), to],
    );
    const read = nodesOf(rows[0]!['QUERY PLAN'][0].Plan)
      .filter(
        (node) => node['Relation Name'] === 'hourly_rollup' || node['Index Name'] === 'hourly_rollup_hour',
      )
      .map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
    expect(read).toEqual([0]);
  });
});
