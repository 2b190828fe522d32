import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { auditEventView } from './audit-event-view';
import { type AdminAuditLogQuery, type AuditEventListResponse } from './audit-log.dto';
import { listSecurityEvents } from './audit-log.repository';

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
