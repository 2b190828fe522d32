import { type AuditEventResponse } from './audit-log.dto';
import { type SecurityEvent } from './security-event.entity';

/**
 * @param readerId the account that reads; undefined for an admin, who sees everything. An account learns that an admin
 *   did something, but not which one or from where
 */
export function auditEventView(event: SecurityEvent, readerId?: string): AuditEventResponse {
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
