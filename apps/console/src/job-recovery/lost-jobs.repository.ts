import { type Executor } from '@inference/database';

const RESCHEDULE = 'SELECT scheduling.reschedule_lost() AS count';

/**
 * Adds a job for each row that has been due for a minute and has none that waits, and returns their number
 * (migration 0017).
 */
export async function rescheduleLostJobs(executor: Executor): Promise<bigint> {
  const { rows } = await executor.query<{ count: bigint }>(RESCHEDULE);
  return rows[0]!.count;
}
