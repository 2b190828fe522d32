import { type Executor } from '@inference/database';
import { type QueryConfig } from 'pg';

const SETTLE = { name: 'settlement-write', text: 'SELECT metering.settle($1, $2) AS "requestId"' };

/**
 * Writes a batch of usage events and debits their wallets, once for each batch id.
 * @param rows JSON of settlement rows (see toSettlementRow)
 * @returns the ids of the requests that neither their lease nor the wallet's free money covers
 */
export async function settleBatch(
  executor: Executor,
  batchId: string,
  rows: string,
  timeoutMillis: number,
): Promise<Set<string>> {
  // The types of pg lack query_timeout of a single statement.
  const statement: QueryConfig & { query_timeout: number } = {
    ...SETTLE,
    values: [batchId, rows],
    query_timeout: timeoutMillis,
  };
  const result = await executor.query<{ requestId: string }>(statement);
  return new Set(result.rows.map(({ requestId }) => requestId));
}
