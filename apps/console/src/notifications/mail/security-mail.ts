import { type Executor } from '@inference/database';
import { type Origin } from '../../identity/audit-log/request-origin';
import { type SecurityMailFacts, type SecurityMailKind } from './mail-kinds';
import { queueMail } from './outbox';

/**
 * Requests a mail about a change of credentials, as part of the caller's transaction.
 *
 * @param origin null for an operator's command
 */
export function queueSecurityMail(
  executor: Executor,
  kind: SecurityMailKind,
  accountId: string,
  origin: Origin | null,
  facts: SecurityMailFacts = {},
): Promise<void> {
  const params = { ...facts, address: origin?.address ?? null, at: new Date().toISOString() };
  return queueMail(executor, { kind, accountId, params });
}
