import { Database } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { Injectable } from '@nestjs/common';
import {
  type AdminAuditLogQuery,
  type AuditEventListResponse,
  type AuditEventResponse,
} from './audit-log.dto';
import { listSecurityEvents } from './audit-log.repository';
import { type SecurityEvent } from './security-event.entity';

@Injectable()
export class AuditLogService {
  constructor(private readonly database: Database) {}

  /** A page of the account's events, newest first, as the account may see them. */
  async list(accountId: string, query: PageQuery): Promise<AuditEventListResponse> {
    const { rows, nextCursor } = await readPage(`events ${accountId}`, query, (after, count) =>
      listSecurityEvents(this.database, { accountId }, after, count),
    );
    return { events: rows.map((event) => auditEventView(event, accountId)), next_cursor: nextCursor };
  }

  /** A page of the events of all accounts that match the filters, newest first. */
  async listAll({
    account_id: accountId,
    type,
    ...query
  }: AdminAuditLogQuery): Promise<AuditEventListResponse> {
    const list = ['admin events', accountId ?? '', type ?? ''].join(' ');
    const { rows, nextCursor } = await readPage(list, query, (after, count) =>
      listSecurityEvents(this.database, { accountId, type }, after, count),
    );
    return { events: rows.map((event) => auditEventView(event)), next_cursor: nextCursor };
  }
}

/**
 * @param readerId the account that reads; undefined for an admin, who sees everything. An account learns that an admin
 *   did something, but not which one or from where
 */
function auditEventView(event: SecurityEvent, readerId?: string): AuditEventResponse {
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
    details: readerId === undefined ? details : withoutReason(details),
    created_at: createdAt.toISOString(),
  };
}

/** The reason of staff is for staff: what its customer reads is another text. */
function withoutReason({ reason: _reason, ...details }: SecurityEvent['details']): SecurityEvent['details'] {
  return details;
}
