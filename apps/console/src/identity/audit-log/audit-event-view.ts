import { type AuditEvent } from './audit-log.repository';

export interface AuditEventView {
  id: string;
  type: string;
  /** Null for a failed sign-in with an unknown identifier. */
  account_id: string | null;
  /** Who did it: the account itself, an admin, or null if nobody was signed in. */
  actor: 'self' | 'admin' | null;
  actor_id: string | null;
  address: string | null;
  user_agent: string | null;
  details: Record<string, unknown>;
  /** ISO 8601. */
  created_at: string;
}

/**
 * @param readerId the account that reads; undefined for an admin, who sees everything. An account learns that an admin
 *   did something, but not which one or from where
 */
export function auditEventView(event: AuditEvent, readerId?: string): AuditEventView {
  const { id, type, accountId, actorId, address, userAgent, details, createdAt } = event;
  const isOther = actorId !== null && actorId !== accountId;
  const isHidden = isOther && readerId !== undefined && actorId !== readerId;
  return {
    id,
    type,
    account_id: accountId,
    actor: actorId === null ? null : isOther ? 'admin' : 'self',
    actor_id: isHidden ? null : actorId,
    address: isHidden ? null : address,
    user_agent: isHidden ? null : userAgent,
    details,
    created_at: createdAt.toISOString(),
  };
}
