import { type QueryRunner } from 'typeorm';
import { type TableLimits } from './large-tables';
import { LockCheck } from './lock-check';
import { type Query } from './query';
import { isConcurrent } from './statement-locks';
import { parseStatements } from './statement-nodes';

interface CheckSettings {
  /** Of the migration. */
  name: string;
  acceptedLock?: string;
  largeTables: TableLimits;
  lockTimeoutMillis: number;
  log: (line: string) => void;
}

/**
 * Does the work of one migration. Until it is done, every statement of the query runner runs by itself, and only if it does not
 * lock a large table for long or if the migration accepts that.
 */
export async function checkLocks<T>(
  runner: QueryRunner,
  settings: CheckSettings,
  work: () => Promise<T>,
): Promise<T> {
  const { name, acceptedLock, log } = settings;
  const unchecked = runner.query;
  const send = unchecked.bind(runner) as Query;
  const check = await LockCheck.begin(send, settings.largeTables);
  const checked = async (text: string, parameters?: unknown[], isStructured?: boolean): Promise<unknown> => {
    let result: unknown;
    for (const statement of await parseStatements(text)) {
      const longLock = await check.findLongLock(statement, parameters);
      if (longLock && !acceptedLock) throw new Error(longLock);
      if (longLock) log(`${name}: ${longLock} Accepted: ${acceptedLock}`);
      const waits = isConcurrent(statement.node);
      if (waits) await send('SET lock_timeout = 0');
      result = await send(statement.text, parameters, isStructured);
      if (waits) await send(`SET lock_timeout = ${settings.lockTimeoutMillis}`);
    }
    return result;
  };
  runner.query = checked as QueryRunner['query'];
  try {
    return await work();
  } finally {
    runner.query = unchecked;
  }
}
