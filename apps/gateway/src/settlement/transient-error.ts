import { isDatabaseUnavailable } from '@inference/database';
import { DatabaseError } from 'pg';

/** SQLSTATEs after which the same batch may succeed: deadlock, serialization failure, statement or lock timeout, disk or memory full. */
const TRANSIENT_SQLSTATE = new Set(['40P01', '40001', '57014', '55P03', '53100', '53200']);

/** Whether the same statement may succeed later. */
export function isTransient(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code ?? '';
  return (
    isDatabaseUnavailable(error) ||
    TRANSIENT_SQLSTATE.has(code) ||
    /query.*timeout|timeout.*query/i.test(String(error))
  );
}

/** Whether the database has refused the statement for good, so that it is not committed. */
export const isPermanent = (error: unknown): boolean => error instanceof DatabaseError && !isTransient(error);
