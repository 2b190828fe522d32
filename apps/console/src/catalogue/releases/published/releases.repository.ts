import { type Executor, type Transaction } from '@inference/database';
import { type Position } from '@inference/http';
import { In, Not } from 'typeorm';
import { type Component } from '../../component';
import { type TaggedRelease } from '../release-tag';
import { Release } from './release.entity';

/** A release without the time of its last change. */
export type ReleaseContent = Omit<Release, 'changedAt'>;
/** A release that is no draft. */
export type PublishedRelease = Release & { publishedAt: Date };

const CONTENT_COLUMNS = `
  component, tag_name AS "tagName", source, name, draft, prerelease, assets, published_at AS "publishedAt"`;

const LIST_EFFECTIVE = `
  SELECT tag, source, prerelease FROM (
    SELECT DISTINCT ON (tag_name) tag_name AS tag, source, prerelease, draft, assets
    FROM catalogue.releases WHERE component = $1 ORDER BY tag_name, source) AS decisive
  WHERE NOT draft AND NOT EXISTS (
    SELECT FROM jsonb_array_elements(assets) AS asset WHERE NOT starts_with(asset->>'url', $2))`;

/**
 * The effective releases of a component. If an admin and the code host have the same tag, only the admin's counts, even as
 * a draft. Releases with files at another origin are left out.
 * @param origin with a slash at its end
 */
export async function listEffectiveReleases(
  executor: Executor,
  component: Component,
  origin: string,
): Promise<(TaggedRelease & Pick<Release, 'source'>)[]> {
  const { rows } = await executor.query<TaggedRelease & Pick<Release, 'source'>>(LIST_EFFECTIVE, [
    component,
    origin,
  ]);
  return rows;
}

export function findPublishedRelease(
  executor: Executor,
  key: Pick<Release, 'component' | 'tagName' | 'source'>,
): Promise<PublishedRelease | null> {
  const found = executor.repository(Release).findOneBy({ ...key, draft: false });
  return found as Promise<PublishedRelease | null>;
}

/** A draft that was never published is listed by the time of its last change. */
const LISTED_AT = 'COALESCE(published_at, changed_at)';
const LISTED_ID = "md5(concat_ws(' ', component, tag_name, source))";
const LIST = `
  SELECT ${CONTENT_COLUMNS}, ${LISTED_ID} AS id,
    to_char(${LISTED_AT} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM catalogue.releases
  WHERE ($1::text IS NULL OR component = $1)
    AND ($2::timestamptz IS NULL OR (${LISTED_AT}, ${LISTED_ID}) < ($2, $3))
  ORDER BY ${LISTED_AT} DESC, ${LISTED_ID} DESC LIMIT $4`;

/** Releases of one component or of all, newest first, including drafts and followed releases. */
export async function listReleases(
  executor: Executor,
  component: Component | undefined,
  after: Position | null,
  limit: number,
): Promise<(ReleaseContent & { position: Position })[]> {
  const { rows } = await executor.query<ReleaseContent & Position>(LIST, [
    component ?? null,
    after?.at ?? null,
    after?.id ?? null,
    limit,
  ]);
  return rows.map(({ at, id, ...release }) => ({ ...release, position: { at, id } }));
}

/** A replacement keeps the time of the first publication unless the input has another one. */
const STORE_OWN = `
  INSERT INTO catalogue.releases AS old
    (component, tag_name, source, name, draft, prerelease, assets, published_at)
  VALUES ($1, $2, 'admin', $3, $4, $5, $6,
    COALESCE($7::timestamptz, CASE WHEN NOT $4 THEN date_trunc('milliseconds', now()) END))
  ON CONFLICT (component, tag_name, source) DO UPDATE SET
    name = excluded.name, draft = excluded.draft, prerelease = excluded.prerelease, assets = excluded.assets,
    published_at = COALESCE($7, old.published_at, excluded.published_at), changed_at = clock_timestamp()
  RETURNING ${CONTENT_COLUMNS}, xmax = 0 AS created`;

/** Creates the admin's release of this tag, or replaces it completely. */
export async function storeAdminRelease(
  transaction: Transaction,
  release: Omit<ReleaseContent, 'source'>,
): Promise<{ release: ReleaseContent; created: boolean }> {
  const { component, tagName, name, draft, prerelease, assets, publishedAt } = release;
  const values = [component, tagName, name, draft, prerelease, JSON.stringify(assets), publishedAt];
  const { rows } = await transaction.query<ReleaseContent & { created: boolean }>(STORE_OWN, values);
  const { created, ...stored } = rows[0]!;
  return { release: stored, created };
}

/** Returns false if no admin has published a release of this tag. */
export async function deleteAdminRelease(
  transaction: Transaction,
  component: Component,
  tagName: string,
): Promise<boolean> {
  const { affected } = await transaction.repository(Release).delete({ component, tagName, source: 'admin' });
  return affected !== 0;
}

export function findFollowedRelease(
  executor: Executor,
  component: Component,
): Promise<PublishedRelease | null> {
  const found = executor.repository(Release).findOneBy({ component, source: 'code_host' });
  return found as Promise<PublishedRelease | null>;
}

/** Creates or replaces the followed release of the component. */
export async function storeFollowedRelease(
  transaction: Transaction,
  release: Omit<ReleaseContent, 'source' | 'draft'>,
): Promise<void> {
  await transaction
    .repository(Release)
    .createQueryBuilder()
    .insert()
    .values({ ...release, source: 'code_host', draft: false })
    .orUpdate(['tag_name', 'name', 'prerelease', 'assets', 'published_at', 'changed_at'], ['component'], {
      indexPredicate: "source = 'code_host'",
    })
    .updateEntity(false)
    .execute();
}

/** Locks the followed releases of all other components and returns these components. */
export async function lockFollowedReleasesExcept(
  transaction: Transaction,
  components: Component[],
): Promise<Component[]> {
  const found = await transaction.repository(Release).find({
    select: { component: true },
    where: { source: 'code_host', component: Not(In(components)) },
    lock: { mode: 'pessimistic_write' },
  });
  return found.map(({ component }) => component);
}

export async function deleteFollowedReleases(
  transaction: Transaction,
  components: Component[],
): Promise<void> {
  await transaction.repository(Release).delete({ source: 'code_host', component: In(components) });
}
