import { type Database, type Transaction } from '@inference/database';
import { type ChangeQuery } from './serving.dto';

class DryRun<Result> extends Error {
  constructor(readonly result: Result) {
    super('A dry run stores nothing.');
  }
}

/** Runs a change in a transaction, which a dry run rolls back after it has learned the result. */
export async function changing<Result>(
  database: Database,
  { dry_run: isDryRun }: ChangeQuery,
  change: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  try {
    return await database.transaction(async (transaction) => {
      const result = await change(transaction);
      if (isDryRun) throw new DryRun(result);
      return result;
    });
  } catch (error) {
    if (error instanceof DryRun) return error.result as Result;
    throw error;
  }
}
