import { type Executor } from '@inference/database';

/** Maintenance of the metering, wallet and limits schemas. Each function may run at any time, on several hosts at once. */
export const MAINTENANCE_FUNCTIONS = [
  'metering.ensure_partitions',
  'metering.ensure_unserved_call_days',
  'wallet.reclaim_expired_leases',
  'metering.delete_old_settlements',
  'metering.delete_old_idempotent_calls',
  'metering.delete_old_client_request_ids',
  'limits.delete_unused',
  'limits.delete_old_uses',
] as const;

export async function runMaintenance(
  executor: Executor,
  name: (typeof MAINTENANCE_FUNCTIONS)[number],
): Promise<void> {
  await executor.query(`SELECT ${name}()`);
}

/**
 * Rolls the next closed hours up into days and months, in a transaction of its own. Returns whether to call again at once. While
 * another host does it, or a transaction runs that may still settle in these hours, nothing is done.
 */
export async function rollUpHours(executor: Executor): Promise<boolean> {
  const { rows } = await executor.query<{ goesOn: boolean }>('SELECT metering.roll_up_hours() AS "goesOn"');
  return rows[0]!.goesOn;
}

/** The end of the hours that are rolled up, in seconds since 1970; null: none is. */
export async function readRolledUntil(executor: Executor): Promise<number | null> {
  const { rows } = await executor.query<{ seconds: number | null }>(
    'SELECT extract(epoch FROM rolled_until)::float8 AS seconds FROM metering.rollup_progress',
  );
  return rows[0]!.seconds;
}
