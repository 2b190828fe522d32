import { type Executor, newId, type Position, readNewestFirst } from '@inference/database';
import { type AuditEventType, SecurityEvent } from './security-event.entity';

export async function insertSecurityEvent(
  executor: Executor,
  event: Omit<SecurityEvent, 'id' | 'createdAt'>,
): Promise<void> {
  await executor.repository(SecurityEvent).insert({ ...event, id: newId('evt') });
}

/** Whether the present secret of a key, which its prefix names, was found in public before. */
export function isKnownLeak(
  executor: Executor,
  { accountId, id, prefix }: { accountId: string; id: string; prefix: string },
): Promise<boolean> {
  return executor
    .repository(SecurityEvent)
    .createQueryBuilder('event')
    .where({ accountId, type: 'api_key.leaked' })
    .andWhere('event.details @> :leak', {
      leak: JSON.stringify({ api_key_id: id, prefix, former_secret: false }),
    })
    .getExists();
}

/** An absent filter selects all. */
export interface EventFilter {
  accountId?: string | undefined;
  actorId?: string | undefined;
  type?: AuditEventType | undefined;
  /** Included, as a text of PostgreSQL. */
  from?: string | undefined;
  /** Excluded. */
  to?: string | undefined;
}

/** Newest first. */
export function listSecurityEvents(
  executor: Executor,
  { from, to, ...values }: EventFilter,
  after: Position | null,
  count: number,
): Promise<(SecurityEvent & { position: Position })[]> {
  const query = executor
    .repository(SecurityEvent)
    .createQueryBuilder('event')
    .where(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)));
  if (from !== undefined) query.andWhere('event.createdAt >= :from', { from });
  if (to !== undefined) query.andWhere('event.createdAt < :to', { to });
  return readNewestFirst(query, 'createdAt', after, count);
}
