import { type Sql } from '@inference/database';
import { type Origin } from '../events/request-origin';
import { type NoticeKind } from './mail-kinds';
import { queueMail } from './outbox';

/** Tells an account what has just happened to it, and from where; part of the caller's transaction. */
export function queueNotice(
  sql: Sql,
  kind: NoticeKind,
  accountId: string,
  { address }: Origin,
): Promise<void> {
  return queueMail(sql, { kind, accountId, params: { address, at: new Date().toISOString() } });
}
