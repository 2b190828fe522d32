import { type Executor } from '@inference/database';
import { type Origin } from '../../identity/audit-log/request-origin';
import { type SecurityMailKind } from './mail-kinds';
import { queueMail } from './outbox';

/** Requests a mail about a change of the account's credentials, as part of the caller's transaction. */
export function queueSecurityMail(
  executor: Executor,
  kind: SecurityMailKind,
  accountId: string,
  { address }: Origin,
): Promise<void> {
  return queueMail(executor, { kind, accountId, params: { address, at: new Date().toISOString() } });
}
