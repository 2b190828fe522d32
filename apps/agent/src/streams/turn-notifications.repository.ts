import { type Transaction } from '@inference/database';

// Channels of PostgreSQL notifications. The payload is the id of a turn.

/** Stream events were added by another process than the one that runs the turn. */
export const TURN_CHANGED = 'agent_turn_changed';
/** The turn was ended by another process than the one that runs it. */
export const TURN_ENDED = 'agent_turn_ended';
/** The turn was deleted with its session. */
export const TURN_DELETED = 'agent_turn_deleted';

export type TurnNotification = typeof TURN_CHANGED | typeof TURN_ENDED | typeof TURN_DELETED;

/** Notifies all replicas; takes effect when the transaction commits. */
export async function notifyReplicas(
  transaction: Transaction,
  channel: TurnNotification,
  turnId: string,
): Promise<void> {
  await transaction.query('SELECT pg_notify($1, $2)', [channel, turnId]);
}
