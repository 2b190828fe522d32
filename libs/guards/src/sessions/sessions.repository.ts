import { type Executor } from '@inference/database';
import { IsNull } from 'typeorm';
import { Session } from './session.entity';

/** The account's session with its account. Null if the session is unknown, has ended or is another account's. */
export function findSession(executor: Executor, id: string, accountId: string): Promise<Session | null> {
  return executor
    .repository(Session)
    .createQueryBuilder('session')
    .innerJoinAndSelect('session.account', 'account')
    .where({ id, accountId, endedAt: IsNull() })
    .andWhere('session.expiresAt > now()')
    .getOne();
}
