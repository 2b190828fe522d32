import { type Executor, type Transaction } from '@inference/database';
import { IsNull, MoreThan, Raw } from 'typeorm';
import { LoginChallenge } from './login-challenge.entity';

/** Locks the challenge, so that concurrent attempts run one after another. */
const COUNT_ATTEMPT = `
  UPDATE accounts.login_challenges SET attempts_left = attempts_left - 1
  WHERE id_hash = $1 AND ended_at IS NULL AND expires_at > now() AND attempts_left > 0
  RETURNING account_id AS "accountId", credentials_version AS "credentialsVersion", method, attempts_left AS "attemptsLeft"`;
/** Rows are kept for a day after their expiry. */
const DELETE_EXPIRED = `
  DELETE FROM accounts.login_challenges WHERE id_hash IN (
    SELECT id_hash FROM accounts.login_challenges WHERE expires_at < now() - interval '1 day'
    LIMIT $1 FOR UPDATE SKIP LOCKED)`;

type CountedChallenge = Omit<LoginChallenge, 'idHash' | 'expiresAt' | 'endedAt'>;

/** Returns when the challenge expires. */
export async function insertChallenge(
  transaction: Transaction,
  challenge: Omit<LoginChallenge, 'expiresAt' | 'endedAt'>,
  ttlSeconds: number,
): Promise<Date> {
  const { raw } = await transaction
    .repository(LoginChallenge)
    .createQueryBuilder()
    .insert()
    .values({ ...challenge, expiresAt: () => 'now() + make_interval(secs => :ttlSeconds)' })
    .setParameters({ ttlSeconds })
    .returning('expires_at AS "expiresAt"')
    .execute();
  return (raw as [Pick<LoginChallenge, 'expiresAt'>])[0].expiresAt;
}

/** Returns the account of a challenge at which another code may be tried. */
export function findOpenChallenge(
  executor: Executor,
  idHash: Buffer,
): Promise<Pick<LoginChallenge, 'accountId'> | null> {
  return executor.repository(LoginChallenge).findOne({
    select: { accountId: true },
    where: {
      idHash,
      endedAt: IsNull(),
      expiresAt: Raw((column) => `${column} > now()`),
      attemptsLeft: MoreThan(0),
    },
  });
}

/** Counts an attempt before it is checked. Returns undefined if the challenge has ended. */
export async function countChallengeAttempt(
  transaction: Transaction,
  idHash: Buffer,
): Promise<CountedChallenge | undefined> {
  const { rows } = await transaction.query<CountedChallenge>(COUNT_ATTEMPT, [idHash]);
  return rows[0];
}

export async function endChallenge(transaction: Transaction, idHash: Buffer): Promise<void> {
  await transaction.repository(LoginChallenge).update({ idHash }, { endedAt: () => 'now()' });
}

/** Deletes at most `count` challenges and returns how many. */
export async function deleteExpiredChallenges(executor: Executor, count: number): Promise<number> {
  return (await executor.query(DELETE_EXPIRED, [count])).rowCount ?? 0;
}
