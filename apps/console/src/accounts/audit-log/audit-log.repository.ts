import { type Executor, newId, type Position, readNewestFirst } from '@inference/database';
import { type AuditEventType, SecurityEvent } from './security-event.entity';

export async function insertSecurityEvent(
  executor: Executor,
  event: Omit<SecurityEvent, 'id' | 'createdAt'>,
): Promise<void> {
  await executor.repository(SecurityEvent).insert({ ...event, id: newId('evt') });
}

/** Newest first. An absent filter selects all accounts or all types. */
export function listSecurityEvents(
  executor: Executor,
  { accountId, type }: { accountId?: string | undefined; type?: AuditEventType | undefined },
  after: Position | null,
  count: number,
): Promise<(SecurityEvent & { position: Position })[]> {
  const query = executor
    .repository(SecurityEvent)
    .createQueryBuilder('event')
    .where({ ...(accountId !== undefined && { accountId }), ...(type !== undefined && { type }) });
  return readNewestFirst(query, 'createdAt', after, count);
}
