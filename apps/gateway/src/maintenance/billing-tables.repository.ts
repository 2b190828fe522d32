import { type Executor } from '@inference/database';

/** Maintenance of the metering and wallet schemas. Each function may run at any time, on several hosts at once. */
export const MAINTENANCE_FUNCTIONS = [
  'metering.ensure_partitions',
  'wallet.reclaim_expired_leases',
  'metering.delete_old_settlements',
] as const;

export async function runMaintenance(
  executor: Executor,
  name: (typeof MAINTENANCE_FUNCTIONS)[number],
): Promise<void> {
  await executor.query(`SELECT ${name}()`);
}
