import { type Executor } from '@inference/database';

/**
 * Rolls the next closed hours up into days and months, in a transaction of its own. Returns whether closed hours are left. While
 * another host does it, nothing is done.
 */
export async function rollUpHours(executor: Executor): Promise<boolean> {
  const { rows } = await executor.query<{ isLeft: boolean }>('SELECT metering.roll_up_hours() AS "isLeft"');
  return rows[0]!.isLeft;
}
