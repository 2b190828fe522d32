import { type Executor } from '@inference/database';
import { type CallResult } from '../load/call-result';
import { loadCost } from '../load/continuous-load';
import { readEvents } from './ledger-totals';

/** Complete responses of a continuous load without a usage event of the expected cost. Throws if a request has two events. */
export async function wronglyBilled(sql: Executor, results: CallResult[]): Promise<CallResult[]> {
  const events = await readEvents(sql);
  return results
    .filter(({ complete }) => complete)
    .filter(({ requestId, usage }) => {
      const event = events.get(requestId ?? '');
      return !event || !usage || event.cost_picos !== loadCost(usage);
    });
}
