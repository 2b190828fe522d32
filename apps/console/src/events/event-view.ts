import { type SecurityEvent } from './security-events.store';

export interface EventView {
  id: string;
  type: string;
  /** Null for a failed sign-in as somebody who is unknown here. */
  account_id: string | null;
  /** Who did it: the account itself, an admin, or nobody that is known (a stranger, an operator's command). */
  actor: 'self' | 'admin' | null;
  actor_id: string | null;
  address: string | null;
  user_agent: string | null;
  details: Record<string, unknown>;
  /** ISO 8601. */
  created_at: string;
}

/** As the reader may see it: an account learns that an admin did something, not which one. */
export function eventView(event: SecurityEvent, readerId?: string): EventView {
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
