import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';
import { RECOUNT_FUNCTION } from './0025_rollup_by_key';

const MILLIS_PER_DAY = 86_400_000;
/** An hour that ended a minute ago does not change any more, because no settlement runs for that long. */
const PERIOD = `
  SELECT date_trunc('hour', min(occurred_at), 'UTC') AS first, date_trunc('hour', now() - interval '1 minute', 'UTC') AS open
  FROM metering.usage_events
  WHERE to_regprocedure('metering.recount_rollup(timestamptz, timestamptz, text)') IS NOT NULL`;
const RECOUNT = 'SELECT metering.recount_rollup($1, $2, $3)';
const ACCOUNTS_SINCE =
  'SELECT DISTINCT account_id AS account FROM metering.hourly_rollup WHERE hour >= $1 ORDER BY account_id';

/**
 * Counts the usage from before the last migration by API key. Each call is a transaction of its own that keeps all sums, so it may
 * be repeated, and other readers see no difference. Hours before the first stored event keep their rows.
 */
export class RecountedRollup0000000000026 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const [period] = (await runner.query(PERIOD)) as { first: Date | null; open: Date }[];
    if (period?.first) await recount(runner, period.first, period.open);
    await runner.query('DROP FUNCTION IF EXISTS metering.recount_rollup');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(RECOUNT_FUNCTION);
  }
}

async function recount(runner: QueryRunner, first: Date, open: Date): Promise<void> {
  for (let from = first; from < open;) {
    const to = new Date(Math.min(from.getTime() + MILLIS_PER_DAY, open.getTime()));
    await runner.query(RECOUNT, [from, to, null]);
    from = to;
  }
  const accounts = (await runner.query(ACCOUNTS_SINCE, [open])) as { account: string }[];
  for (const { account } of accounts) await runner.query(RECOUNT, [open, 'infinity', account]);
}
