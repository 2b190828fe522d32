import { isDeepStrictEqual } from 'node:util';
import { inTransaction, type Sql, type SqlPool } from '@inference/database';
import { type Component } from './component';
import { type ReleaseAsset } from './release-asset';

/** What is published at the code host as the newest release of a component. */
export interface FollowedRelease {
  tag: string;
  name: string;
  prerelease: boolean;
  assets: ReleaseAsset[];
  publishedAt: Date;
}

/** One repository that this console alone asks for, until its claim ends. */
export interface ClaimedRepository {
  component: Component;
  repository: string;
  /** Of the answer that was last taken over; null when everything is to be read again. */
  etag: string | null;
  failures: number;
  lastError: string | null;
  /** Tells this claim from a later one. */
  claim: string;
}

export type Repositories = Partial<Record<Component, string>>;

const FOLLOW = `
  INSERT INTO catalogue.followed_repositories AS old (component, repository)
  SELECT * FROM unnest($1::text[], $2::text[])
  ON CONFLICT (component) DO UPDATE SET
    repository = excluded.repository, etag = NULL, next_check_at = now(), claimed_until = NULL, checked_at = NULL,
    succeeded_at = NULL, failures = 0, last_error = NULL
  WHERE old.repository <> excluded.repository`;
const FORGET = 'DELETE FROM catalogue.followed_repositories WHERE component <> ALL ($1)';
const LEFT_OVER = `
  SELECT component FROM catalogue.releases WHERE source = 'code_host' AND component <> ALL ($1) FOR UPDATE`;
const REMOVE = "DELETE FROM catalogue.releases WHERE source = 'code_host' AND component = ANY ($1)";

/** Follows these from now on and no others: what was published of a component that is followed no more goes. */
export async function followOnly(pool: SqlPool, repositories: Repositories): Promise<void> {
  const components = Object.keys(repositories);
  await inTransaction(pool, async (client) => {
    await client.query(FOLLOW, [components, Object.values(repositories)]);
    await client.query(FORGET, [components]);
    // Readers would take even a removal of nothing for a change.
    const { rows } = await client.query<{ component: Component }>(LEFT_OVER, [components]);
    if (rows.length > 0) await client.query(REMOVE, [rows.map(({ component }) => component)]);
  });
}

/** Only under the names that this console knows: one that was started earlier may know others. */
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT component FROM catalogue.followed_repositories
    WHERE (component, repository) IN (SELECT * FROM unnest($1::text[], $2::text[]))
      AND next_check_at <= now() AND (claimed_until IS NULL OR claimed_until <= now())
    ORDER BY next_check_at LIMIT $3 FOR UPDATE SKIP LOCKED)
  UPDATE catalogue.followed_repositories SET claimed_until = clock_timestamp() + make_interval(secs => $4)
  WHERE component IN (SELECT component FROM due)
  RETURNING component, repository, failures, last_error AS "lastError", claimed_until::text AS claim,
    CASE WHEN read_at > now() - make_interval(secs => $5) THEN etag END AS etag`;

/**
 * At most so many of those that are due, which no other console gets before the claim has run out; without the entity tag
 * of what was read longer ago than `etagSeconds`.
 */
export async function claimRepositories(
  sql: Sql,
  repositories: Repositories,
  count: number,
  { leaseSeconds, etagSeconds }: { leaseSeconds: number; etagSeconds: number },
): Promise<ClaimedRepository[]> {
  const names = [Object.keys(repositories), Object.values(repositories)];
  const parameters = [...names, count, leaseSeconds, etagSeconds];
  return (await sql.query<ClaimedRepository>(CLAIM, parameters)).rows;
}

const STILL_CLAIMED = 'component = $1 AND claimed_until = $2::timestamptz';
const GIVE_UP = `UPDATE catalogue.followed_repositories SET claimed_until = NULL WHERE ${STILL_CLAIMED}`;
const FAILED = `
  UPDATE catalogue.followed_repositories SET claimed_until = NULL, checked_at = now(), failures = $3, last_error = $4,
    next_check_at = now() + make_interval(secs => $5)
  WHERE ${STILL_CLAIMED}`;
const SUCCEED = `
  UPDATE catalogue.followed_repositories SET claimed_until = NULL, checked_at = now(), succeeded_at = now(),
    failures = 0, last_error = NULL, next_check_at = now() + make_interval(secs => $3)`;
const UNCHANGED = `${SUCCEED} WHERE ${STILL_CLAIMED}`;
const TAKEN_OVER = `${SUCCEED}, etag = $4, read_at = now() WHERE ${STILL_CLAIMED}`;
const HOLD = `SELECT FROM catalogue.followed_repositories WHERE ${STILL_CLAIMED} FOR UPDATE`;
const CURRENT = `
  SELECT tag_name AS tag, name, prerelease, assets, published_at AS "publishedAt"
  FROM catalogue.releases WHERE component = $1 AND source = 'code_host'`;
const STORE = `
  INSERT INTO catalogue.releases (component, tag_name, source, name, draft, prerelease, assets, published_at)
  VALUES ($1, $2, 'code_host', $3, false, $4, $5, $6)
  ON CONFLICT (component) WHERE source = 'code_host' DO UPDATE SET
    tag_name = excluded.tag_name, name = excluded.name, prerelease = excluded.prerelease, assets = excluded.assets,
    published_at = excluded.published_at, changed_at = clock_timestamp()`;

/** For another console to go on at once. */
export async function giveUpClaim(sql: Sql, { component, claim }: ClaimedRepository): Promise<void> {
  await sql.query(GIVE_UP, [component, claim]);
}

/** What is published stays. */
export async function noteFailure(
  sql: Sql,
  { component, claim, failures }: ClaimedRepository,
  reason: string,
  pauseSeconds: number,
): Promise<void> {
  await sql.query(FAILED, [component, claim, failures + 1, reason, pauseSeconds]);
}

export async function noteUnchanged(
  sql: Sql,
  { component, claim }: ClaimedRepository,
  pauseSeconds: number,
): Promise<void> {
  await sql.query(UNCHANGED, [component, claim, pauseSeconds]);
}

/**
 * Publishes this one in place of the one before it, or none any more when null; writes nothing that readers would see
 * when it is the same. Nothing happens once the claim is somebody else's.
 */
export async function takeOver(
  pool: SqlPool,
  { component, claim }: ClaimedRepository,
  { release, etag }: { release: FollowedRelease | null; etag: string | null },
  pauseSeconds: number,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const held = await client.query(HOLD, [component, claim]);
    if (held.rowCount === 0) return;
    const { rows } = await client.query<FollowedRelease>(CURRENT, [component]);
    const current = rows[0] ?? null;
    if (!isDeepStrictEqual(current, release)) {
      if (release) {
        const { tag, name, prerelease, assets, publishedAt } = release;
        const parameters = [component, tag, name, prerelease, JSON.stringify(assets), publishedAt];
        await client.query(STORE, parameters);
      } else await client.query(REMOVE, [[component]]);
    }
    await client.query(TAKEN_OVER, [component, claim, pauseSeconds, etag]);
  });
}

/** How following a repository goes. */
export interface FollowedRepositoryView {
  component: Component;
  repository: string;
  checked_at: Date | null;
  succeeded_at: Date | null;
  next_check_at: Date;
  /** In a row, since it last succeeded. */
  failures: number;
  last_error: string | null;
  /** Of the release that was last taken over. */
  tag_name: string | null;
}

const LIST = `
  SELECT component, repository, checked_at, succeeded_at, next_check_at, failures, last_error, tag_name
  FROM catalogue.followed_repositories
    LEFT JOIN (SELECT component, tag_name FROM catalogue.releases WHERE source = 'code_host') AS followed
      USING (component)
  ORDER BY component`;

export async function listFollowed(sql: Sql): Promise<FollowedRepositoryView[]> {
  return (await sql.query<FollowedRepositoryView>(LIST)).rows;
}
