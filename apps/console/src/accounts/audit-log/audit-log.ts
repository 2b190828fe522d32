import { type Executor, type Transaction } from '@inference/database';
import { type Actor, type Origin } from './actor';
import { insertSecurityEvent } from './audit-log.repository';
import { type AuditEventType, type SecurityEvent } from './security-event.entity';

export interface NewAuditEvent extends Pick<SecurityEvent, 'type' | 'accountId' | 'actorId'> {
  /** Null for an operator's command. */
  origin: Origin | null;
  details?: SecurityEvent['details'];
}

/**
 * Records an event. The event of a change belongs in the transaction of the change, so that it is recorded if and only
 * if the change is committed. A refusal, which changes nothing, is recorded by itself.
 */
export async function recordAuditEvent(
  executor: Executor,
  { origin, details = {}, ...event }: NewAuditEvent,
): Promise<void> {
  const { address = null, userAgent = null } = origin ?? {};
  await insertSecurityEvent(executor, { ...event, address, userAgent, details });
}

/** Records a change by a signed-in account under that account. */
export async function recordActorEvent(
  transaction: Transaction,
  { accountId, origin }: Pick<Actor, 'accountId' | 'origin'>,
  type: AuditEventType,
  details: SecurityEvent['details'],
): Promise<void> {
  await recordAuditEvent(transaction, { type, accountId, actorId: accountId, origin, details });
}
