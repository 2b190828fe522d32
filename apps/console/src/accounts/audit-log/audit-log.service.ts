import { Database } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { Injectable } from '@nestjs/common';
import { rangeTexts } from '../../validation/time-range.dto';
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
  async listAll(query: AdminAuditLogQuery): Promise<AuditEventListResponse> {
    const { account_id: accountId, actor_id: actorId, type } = query;
    const { from, to } = rangeTexts(query);
    const list = ['admin events', accountId, type, actorId, from, to].map((part) => part ?? '').join(' ');
    const { rows, nextCursor } = await readPage(list, query, (after, count) =>
      listSecurityEvents(this.database, { accountId, actorId, type, from, to }, after, count),
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
