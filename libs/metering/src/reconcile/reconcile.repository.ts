import { type Database } from '@inference/database';
import { CHECKS } from './checks.repository';

/** A violated invariant of the ledger. */
export interface Difference {
  check: string;
  row: Record<string, unknown>;
}

/** Runs all checks in one snapshot, so that it can run while requests are served. Returns a difference per violation. */
export async function reconcile(database: Database): Promise<Difference[]> {
  return database.transaction(async (transaction) => {
    await transaction.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await transaction.query('SET LOCAL statement_timeout = 0');
    // Before the snapshot: no partition disappears that the snapshot still counts.
    await transaction.query('LOCK TABLE metering.usage_events IN ACCESS SHARE MODE');
    const differences: Difference[] = [];
    for (const { name, sql } of CHECKS) {
      const { rows } = await transaction.query<Record<string, unknown>>(sql);
      differences.push(...rows.map((row) => ({ check: name, row })));
    }
    return differences;
  });
}
