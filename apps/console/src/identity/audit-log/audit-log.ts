import { newId, type Sql } from '@inference/database';
import { type Actor } from './actor';
import { type Origin } from './request-origin';

/** `<subject>.<what happened to it>`. */
export const AUDIT_EVENT_TYPES = [
  'account.created',
  'account.role_changed',
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
  'two_factor.disabled',
  'two_factor.enabled',
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

export interface NewAuditEvent {
  type: AuditEventType;
  /** The account that it happened to; null for a failed sign-in with an unknown identifier. */
  accountId: string | null;
  /** The account that did it; null if nobody was signed in, and for an operator's command. */
  actorId: string | null;
  /** Null for an operator's command. */
  origin: Origin | null;
  /** Must not contain secrets. */
  details?: Record<string, string | number | boolean | null>;
}

const INSERT = `
  INSERT INTO accounts.security_events (id, account_id, type, actor_id, address, user_agent, details)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;

/** Part of the caller's transaction, so that an event is recorded if and only if its change is committed. */
export async function recordAuditEvent(sql: Sql, event: NewAuditEvent): Promise<void> {
  await sql.query(INSERT, [
    newId('evt'),
    event.accountId,
    event.type,
    event.actorId,
    event.origin?.address ?? null,
    event.origin?.userAgent ?? null,
    JSON.stringify(event.details ?? {}),
  ]);
}

/** Records an action of a signed-in account under that account. Part of the caller's transaction. */
export async function recordActorEvent(
  sql: Sql,
  { accountId, origin }: Actor,
  type: AuditEventType,
  details: NonNullable<NewAuditEvent['details']>,
): Promise<void> {
  await recordAuditEvent(sql, { type, accountId, actorId: accountId, origin, details });
}
