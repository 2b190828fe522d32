import { type Executor } from '@inference/database';
import { type CallResult, type CallUsage } from '../load/call-result';
import { loadCost } from '../load/continuous-load';
import { readEvents } from './ledger-totals';

/**
 * Complete responses without a usage event of the expected cost. Throws if a request has two events.
 * @param costOf in picos; that of a continuous load unless given
 */
export async function wronglyBilled(
  sql: Pick<Executor, 'query'>,
  results: CallResult[],
  costOf: (usage: CallUsage) => bigint = loadCost,
): Promise<CallResult[]> {
  const events = await readEvents(sql);
  return results
    .filter(({ complete }) => complete)
    .filter(({ requestId, usage }) => {
      const event = events.get(requestId ?? '');
      return !event || !usage || BigInt(event.cost_picos) !== costOf(usage);
    });
}
