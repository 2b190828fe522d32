import { newId, type Transaction } from '@inference/database';
import { type ToolCall } from '../tables/tool.dto';
import { findUsedCallIds } from './tool-calls.repository';

/** Replaces ids that the session already uses: some models number their calls anew in each answer. */
export async function withUniqueIds(
  transaction: Transaction,
  sessionId: string,
  calls: ToolCall[],
): Promise<ToolCall[]> {
  if (calls.length === 0) return calls;
  const ids = calls.map(({ id }) => id);
  const used = new Set(await findUsedCallIds(transaction, sessionId, ids));
  return calls.map((call) => {
    const id = used.has(call.id) ? newId('call') : call.id;
    used.add(id);
    return { ...call, id };
  });
}
