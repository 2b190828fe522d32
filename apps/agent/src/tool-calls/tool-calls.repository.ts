import { newId, type Transaction } from '@inference/database';
import { Any, IsNull } from 'typeorm';
import { StoredToolCall } from '../tables/session-event.entity';
import { type ToolCall } from '../tables/tool.dto';

// The calls of tools that the models of a session have made. The transactions have locked the session.

const INSERT = `
  INSERT INTO agent.tool_calls (session_id, id, turn_id, position, call)
  SELECT $1, call ->> 'id', $2, position, call FROM json_array_elements($3::json) WITH ORDINALITY AS c(call, position)`;

/** Stores the calls of a turn in the model's order. */
export async function insertCalls(
  transaction: Transaction,
  sessionId: string,
  turnId: string,
  calls: ToolCall[],
): Promise<void> {
  await transaction.query(INSERT, [sessionId, turnId, JSON.stringify(calls)]);
}

/** Returns those of the ids that the session already uses. */
async function findUsedCallIds(
  transaction: Transaction,
  sessionId: string,
  ids: string[],
): Promise<string[]> {
  const calls = await transaction
    .repository(StoredToolCall)
    .find({ select: { id: true }, where: { sessionId, id: Any(ids) } });
  return calls.map(({ id }) => id);
}

/** Returns the calls of a turn that have no result yet, in the model's order. */
export async function readPendingCalls(transaction: Transaction, turnId: string): Promise<ToolCall[]> {
  const pending = await transaction.repository(StoredToolCall).find({
    select: { sessionId: true, id: true, call: true },
    where: { turnId, answeredBy: IsNull() },
    order: { position: 'ASC' },
  });
  return pending.map(({ call }) => call);
}

/** @param eventId the event that holds the results */
export async function markAnswered(
  transaction: Transaction,
  sessionId: string,
  callIds: string[],
  eventId: string,
): Promise<void> {
  await transaction
    .repository(StoredToolCall)
    .update({ sessionId, id: Any(callIds), answeredBy: IsNull() }, { answeredBy: eventId });
}

/** Returns those of the calls that exist in the session, with the numbers of their turns. */
export function findCalls(
  transaction: Transaction,
  sessionId: string,
  callIds: string[],
): Promise<StoredToolCall[]> {
  return transaction.repository(StoredToolCall).find({
    select: { sessionId: true, id: true, turnId: true, answeredBy: true, turn: { id: true, number: true } },
    where: { sessionId, id: Any(callIds) },
    relations: { turn: true },
  });
}

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
