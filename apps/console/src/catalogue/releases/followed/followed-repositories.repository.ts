import { type Executor, type Transaction } from '@inference/database';
import { In, Not, type QueryDeepPartialEntity, Raw } from 'typeorm';
import { type Component } from '../../component';
import { type FollowedRepositoryResponse } from './followed-repositories.dto';
import { FollowedRepository } from './followed-repository.entity';

/** A repository that only this replica reads until its claim ends. `etag` is null to read everything again. */
export interface ClaimedRepository extends Pick<
  FollowedRepository,
  'component' | 'repository' | 'etag' | 'failures' | 'lastError'
> {
  /** End of the claim, as text; distinguishes it from later claims. */
  claim: string;
}

type Claim = Pick<ClaimedRepository, 'component' | 'claim'>;

export type RepositoryByComponent = Partial<Record<Component, string>>;

const STORE = `
  INSERT INTO catalogue.followed_repositories AS old (component, repository)
  SELECT * FROM unnest($1::text[], $2::text[])
  ON CONFLICT (component) DO UPDATE SET
    repository = excluded.repository, etag = NULL, next_check_at = now(), claimed_until = NULL, checked_at = NULL,
    succeeded_at = NULL, failures = 0, last_error = NULL
  WHERE old.repository <> excluded.repository`;

/** Follows these repositories. One that replaces another one of its component is due at once. */
export async function storeRepositories(
  transaction: Transaction,
  repositories: RepositoryByComponent,
): Promise<void> {
  await transaction.query(STORE, [Object.keys(repositories), Object.values(repositories)]);
}

/** Follows the other components no longer. */
export async function deleteRepositoriesExcept(
  transaction: Transaction,
  components: Component[],
): Promise<void> {
  await transaction.repository(FollowedRepository).delete({ component: Not(In(components)) });
}

/** Matches component and repository: a replica with an older configuration may follow another one. */
const CLAIM = `
  UPDATE catalogue.followed_repositories SET claimed_until = clock_timestamp() + make_interval(secs => $3)
  WHERE component = $1 AND repository = $2 AND due_at <= now()
  RETURNING component, repository, failures, last_error AS "lastError", claimed_until::text AS claim,
    CASE WHEN read_at > now() - make_interval(secs => $4) THEN etag END AS etag`;

/**
 * Claims the repository for `claimSeconds`, unless it is not due or another replica has claimed it. The entity tag is
 * null if the repository was last read more than `etagSeconds` ago.
 */
export async function claimRepository(
  executor: Executor,
  component: Component,
  repository: string,
  { claimSeconds, etagSeconds }: { claimSeconds: number; etagSeconds: number },
): Promise<ClaimedRepository | undefined> {
  const parameters = [component, repository, claimSeconds, etagSeconds];
  return (await executor.query<ClaimedRepository>(CLAIM, parameters)).rows[0];
}

const claimed = ({ component, claim }: Claim) => ({
  component,
  claimedUntil: Raw((column) => `${column} = :claim`, { claim }),
});

/** Locks the repository. Returns false if the claim has ended. */
export async function lockClaim(transaction: Transaction, claim: Claim): Promise<boolean> {
  const locked = await transaction.repository(FollowedRepository).findOne({
    select: { component: true },
    where: claimed(claim),
    lock: { mode: 'pessimistic_write' },
  });
  return locked !== null;
}

/** Ends the claim early, so that another replica can continue at once. */
export async function releaseClaim(executor: Executor, claim: Claim): Promise<void> {
  await executor.repository(FollowedRepository).update(claimed(claim), { claimedUntil: null });
}

/** Ends the claim and stores the result of the reading. Does nothing if the claim has ended before. */
async function recordReading(
  executor: Executor,
  claim: Claim,
  delaySeconds: number,
  result: QueryDeepPartialEntity<FollowedRepository>,
): Promise<void> {
  await executor
    .repository(FollowedRepository)
    .createQueryBuilder()
    .update({
      ...result,
      claimedUntil: null,
      checkedAt: () => 'now()',
      nextCheckAt: () => 'now() + make_interval(secs => :delaySeconds)',
    })
    .where(claimed(claim))
    .setParameters({ delaySeconds })
    .execute();
}

const SUCCESS = { succeededAt: () => 'now()', failures: 0, lastError: null };

/** Schedules the next attempt. The published release stays. */
export function recordFailure(
  executor: Executor,
  { failures, ...claim }: ClaimedRepository,
  reason: string,
  delaySeconds: number,
): Promise<void> {
  return recordReading(executor, claim, delaySeconds, { failures: failures + 1, lastError: reason });
}

/** Schedules the next read after an unchanged response. */
export function recordUnchanged(executor: Executor, claim: Claim, delaySeconds: number): Promise<void> {
  return recordReading(executor, claim, delaySeconds, SUCCESS);
}

/** Schedules the next read after a response that was stored. */
export function recordStored(
  executor: Executor,
  claim: Claim,
  etag: string | null,
  delaySeconds: number,
): Promise<void> {
  return recordReading(executor, claim, delaySeconds, { ...SUCCESS, etag, readAt: () => 'now()' });
}

const LIST = `
  SELECT component, repository, checked_at, succeeded_at, next_check_at, failures, last_error, tag_name
  FROM catalogue.followed_repositories
    LEFT JOIN (SELECT component, tag_name FROM catalogue.releases WHERE source = 'code_host') AS followed
      USING (component)
  ORDER BY component`;

/** The followed repositories with their followed releases, ordered by component. */
export async function listFollowed(executor: Executor): Promise<FollowedRepositoryResponse[]> {
  return (await executor.query<FollowedRepositoryResponse>(LIST)).rows;
}
