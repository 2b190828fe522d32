import { inTransaction, type SqlPool } from '@inference/database';
import { CHECKS } from './checks';

export interface Difference {
  check: string;
  row: Record<string, unknown>;
}

/** Compares every figure with every other in one snapshot, so that it may run while requests are served. */
export async function reconcile(pool: SqlPool): Promise<Difference[]> {
  return inTransaction(pool, async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query('SET LOCAL statement_timeout = 0');
    const differences: Difference[] = [];
    for (const { name, sql } of CHECKS) {
      const { rows } = await client.query<Record<string, unknown>>(sql);
      differences.push(...rows.map((row) => ({ check: name, row })));
    }
    return differences;
  });
}
