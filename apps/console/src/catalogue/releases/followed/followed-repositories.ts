import { isDeepStrictEqual } from 'node:util';
import { type Database, type Sql } from '@inference/database';
import { type Component } from '../../components/component';
import { type CodeHostRelease } from '../code-host/code-host';
import { type FollowedRepositoryResponse } from './followed-repositories.dto';

/** A repository that only this replica reads until its claim ends. */
export interface ClaimedRepository {
  component: Component;
  repository: string;
  /** Entity tag of the last response that was stored; null to read everything again. */
  etag: string | null;
  failures: number;
  lastError: string | null;
  /** End of the claim, as text; distinguishes it from later claims. */
  claim: string;
}

export type RepositoryByComponent = Partial<Record<Component, string>>;

const UPSERT = `
  INSERT INTO catalogue.followed_repositories AS old (component, repository)
  SELECT * FROM unnest($1::text[], $2::text[])
  ON CONFLICT (component) DO UPDATE SET
    repository = excluded.repository, etag = NULL, next_check_at = now(), claimed_until = NULL, checked_at = NULL,
    succeeded_at = NULL, failures = 0, last_error = NULL
  WHERE old.repository <> excluded.repository`;
const DELETE_OTHERS = 'DELETE FROM catalogue.followed_repositories WHERE component <> ALL ($1)';
const FIND_ORPHANED = `
  SELECT component FROM catalogue.releases WHERE source = 'code_host' AND component <> ALL ($1) FOR UPDATE`;
const REMOVE_RELEASES = "DELETE FROM catalogue.releases WHERE source = 'code_host' AND component = ANY ($1)";

/** Makes these the followed repositories. Removes the followed releases of components that are not among them. */
export async function replaceFollowedRepositories(
  database: Database,
  repositories: RepositoryByComponent,
): Promise<void> {
  const components = Object.keys(repositories);
  await database.transaction(async (client) => {
    await client.query(UPSERT, [components, Object.values(repositories)]);
    await client.query(DELETE_OTHERS, [components]);
    // The trigger records a change even if nothing is removed.
    const { rows } = await client.query<{ component: Component }>(FIND_ORPHANED, [components]);
    if (rows.length > 0) await client.query(REMOVE_RELEASES, [rows.map(({ component }) => component)]);
  });
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
  sql: Sql,
  component: Component,
  repository: string,
  { claimSeconds, etagSeconds }: { claimSeconds: number; etagSeconds: number },
): Promise<ClaimedRepository | undefined> {
  const parameters = [component, repository, claimSeconds, etagSeconds];
  return (await sql.query<ClaimedRepository>(CLAIM, parameters)).rows[0];
}

const STILL_CLAIMED = 'component = $1 AND claimed_until = $2::timestamptz';
const RELEASE_CLAIM = `UPDATE catalogue.followed_repositories SET claimed_until = NULL WHERE ${STILL_CLAIMED}`;
const RECORD_FAILURE = `
  UPDATE catalogue.followed_repositories SET claimed_until = NULL, checked_at = now(), failures = $3, last_error = $4,
    next_check_at = now() + make_interval(secs => $5)
  WHERE ${STILL_CLAIMED}`;
const RECORD_SUCCESS = `
  UPDATE catalogue.followed_repositories SET claimed_until = NULL, checked_at = now(), succeeded_at = now(),
    failures = 0, last_error = NULL, next_check_at = now() + make_interval(secs => $3)`;
const RECORD_UNCHANGED = `${RECORD_SUCCESS} WHERE ${STILL_CLAIMED}`;
const RECORD_RELEASE = `${RECORD_SUCCESS}, etag = $4, read_at = now() WHERE ${STILL_CLAIMED}`;
const LOCK_CLAIM = `SELECT FROM catalogue.followed_repositories WHERE ${STILL_CLAIMED} FOR UPDATE`;
const FIND_CURRENT = `
  SELECT tag_name AS tag, name, prerelease, assets, published_at AS "publishedAt"
  FROM catalogue.releases WHERE component = $1 AND source = 'code_host'`;
const STORE = `
  INSERT INTO catalogue.releases (component, tag_name, source, name, draft, prerelease, assets, published_at)
  VALUES ($1, $2, 'code_host', $3, false, $4, $5, $6)
  ON CONFLICT (component) WHERE source = 'code_host' DO UPDATE SET
    tag_name = excluded.tag_name, name = excluded.name, prerelease = excluded.prerelease, assets = excluded.assets,
    published_at = excluded.published_at, changed_at = clock_timestamp()`;

/** Ends the claim early, so that another replica can continue at once. */
export async function releaseClaim(sql: Sql, { component, claim }: ClaimedRepository): Promise<void> {
  await sql.query(RELEASE_CLAIM, [component, claim]);
}

/** Schedules the next attempt. The published release stays. */
export async function recordFailure(
  sql: Sql,
  { component, claim, failures }: ClaimedRepository,
  reason: string,
  delaySeconds: number,
): Promise<void> {
  await sql.query(RECORD_FAILURE, [component, claim, failures + 1, reason, delaySeconds]);
}

/** Schedules the next read after an unchanged response. */
export async function recordUnchanged(
  sql: Sql,
  { component, claim }: ClaimedRepository,
  delaySeconds: number,
): Promise<void> {
  await sql.query(RECORD_UNCHANGED, [component, claim, delaySeconds]);
}

/**
 * Replaces the followed release of the component, or removes it if null. An equal release is not written, so that
 * readers see no change. Does nothing if the claim has ended.
 */
export async function recordRelease(
  database: Database,
  { component, claim }: ClaimedRepository,
  { release, etag }: { release: CodeHostRelease | null; etag: string | null },
  delaySeconds: number,
): Promise<void> {
  await database.transaction(async (client) => {
    const locked = await client.query(LOCK_CLAIM, [component, claim]);
    if (locked.rowCount === 0) return;
    const { rows } = await client.query<CodeHostRelease>(FIND_CURRENT, [component]);
    const current = rows[0] ?? null;
    if (!isDeepStrictEqual(current, release)) {
      if (release) {
        const { tag, name, prerelease, assets, publishedAt } = release;
        const parameters = [component, tag, name, prerelease, JSON.stringify(assets), publishedAt];
        await client.query(STORE, parameters);
      } else await client.query(REMOVE_RELEASES, [[component]]);
    }
    await client.query(RECORD_RELEASE, [component, claim, delaySeconds, etag]);
  });
}

const LIST = `
  SELECT component, repository, checked_at, succeeded_at, next_check_at, failures, last_error, tag_name
  FROM catalogue.followed_repositories
    LEFT JOIN (SELECT component, tag_name FROM catalogue.releases WHERE source = 'code_host') AS followed
      USING (component)
  ORDER BY component`;

/** The followed repositories, ordered by component. */
export async function listFollowed(sql: Sql): Promise<FollowedRepositoryResponse[]> {
  return (await sql.query<FollowedRepositoryResponse>(LIST)).rows;
}
