import { type Executor, type Transaction } from '@inference/database';
import { type Actor } from './actor';
import { insertSecurityEvent } from './audit-log.repository';
import { type Origin } from './request-origin';
import { type SecurityEvent } from './security-event.entity';

/** `<subject>.<what happened to it>`. */
export const AUDIT_EVENT_TYPES = [
  'account.created',
  'account.role_changed',
  'api_key.changed',
  'api_key.created',
  'api_key.deleted',
  'email.verified',
  'identity.linked',
  'identity.unlinked',
  'login.challenged',
  'login.failed',
  'password.changed',
  'password.failed',
  'password.reset',
  'password.reset_requested',
  'recovery_codes.replaced',
  'second_factor.failed',
  'session.ended',
  'session.opened',
  'session.others_ended',
  'session.refresh_token_reused',
  'two_factor.disabled',
  'two_factor.enabled',
  'workspace_key.deleted',
  'admin.adjustment_posted',
  'admin.changelog_changed',
  'admin.exchange_rates_published',
  'admin.model_changed',
  'admin.package_removed',
  'admin.package_uploaded',
  'admin.prices_published',
  'admin.refund_ordered',
  'admin.release_changed',
] as const;
export type AuditEventType = (typeof AUDIT_EVENT_TYPES)[number];

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
