import { type Executor } from '@inference/database';

/** What an upstream takes for a failed attempt, as `metering.add_uncharged_costs` reads it. */
export interface UnchargedCostRow {
  request_id: string;
  attempt: number;
  account_id: string;
  model: string;
  upstream: string;
  list: string;
  cost_picos: string;
}

const ADD = { name: 'uncharged-costs-add', text: 'SELECT metering.add_uncharged_costs($1, $2)' };

/** Has no effect if the batch was stored before. */
export async function addUnchargedCosts(
  executor: Executor,
  batchId: string,
  rows: readonly UnchargedCostRow[],
): Promise<void> {
  await executor.query({ ...ADD, values: [batchId, JSON.stringify(rows)] });
}
