import { type Transaction } from '@inference/database';
import { appendStreamEvent } from '../streams/stream-events/stream-events.repository';
import { claimQueuedTurn, type ClaimedTurn, setCallPosition } from './turns.repository';

/**
 * Makes this replica the one that runs a queued turn; returns null if the turn is not to run now. The replica that has claimed a
 * turn calls the model for it once: if the process dies, the call is not repeated, since it may have been billed.
 * The transaction has locked the session.
 */
export async function claimTurn(
  transaction: Transaction,
  turnId: string,
  replicaId: string,
): Promise<ClaimedTurn | null> {
  const turn = await claimQueuedTurn(transaction, turnId, replicaId);
  if (!turn || turn.callPosition > 0) return turn ?? null;
  const { n } = await appendStreamEvent(transaction, turn.id, 'turn.started', { turn_id: turn.id });
  await setCallPosition(transaction, turn.id, n);
  return { ...turn, callPosition: n };
}
