import { type Sql } from '@inference/database';
import { type Position } from '@inference/http';
import { type Component } from '../../components/component';
import { type ReleaseAsset } from '../release-format/release-asset';
import { type AdminReleaseResponse, type ReleaseResponse } from './releases.dto';
import { sortReleases, type TaggedRelease } from '../release-format/release-tag';

/** Where a release was published: by an admin here, or at the code host that is followed. */
export type ReleaseSource = 'admin' | 'code_host';

/** A row of catalogue.releases. */
export interface Release {
  component: Component;
  tag: string;
  source: ReleaseSource;
  name: string;
  draft: boolean;
  prerelease: boolean;
  assets: ReleaseAsset[];
  /** Null for a draft that was never published. */
  publishedAt: Date | null;
}

/** A release that is no draft. */
export type PublishedRelease = Release & { publishedAt: Date };

export const RELEASE_COLUMNS = `
  component, tag_name AS tag, source, name, draft, prerelease, assets, published_at AS "publishedAt"`;

/**
 * The effective releases of a component. If an admin and the code host have the same tag, only the admin's counts, even as
 * a draft. Releases with files at another origin ($2) are left out.
 */
const TAGS = `
  SELECT tag, source, prerelease FROM (
    SELECT DISTINCT ON (tag_name) tag_name AS tag, source, prerelease, draft, assets
    FROM catalogue.releases WHERE component = $1 ORDER BY tag_name, source) AS decisive
  WHERE NOT draft AND NOT EXISTS (
    SELECT FROM jsonb_array_elements(assets) AS asset WHERE NOT starts_with(asset->>'url', $2))`;
const FIND_PUBLISHED = `
  SELECT ${RELEASE_COLUMNS} FROM catalogue.releases
  WHERE component = $1 AND tag_name = $2 AND source = $3 AND NOT draft`;

/**
 * Returns the newest published release by semantic version, a prerelease only if there is no other, or null if there is
 * none. A release whose files are not at the code host does not count: the code host was a different one at the time.
 */
export async function findLatest(
  sql: Sql,
  component: Component,
  codeHostUrl: string,
): Promise<PublishedRelease | null> {
  const root = `${new URL(codeHostUrl).origin}/`;
  for (;;) {
    const { rows } = await sql.query<TaggedRelease & { source: ReleaseSource }>(TAGS, [component, root]);
    const [latest] = sortReleases(rows);
    if (!latest) return null;
    const found = await sql.query<PublishedRelease>(FIND_PUBLISHED, [component, latest.tag, latest.source]);
    if (found.rows[0]) return found.rows[0];
    // It was replaced or removed between the two queries: try again.
  }
}

/** A draft that was never published is listed by the time of its last change. */
const LISTED_AT = 'COALESCE(published_at, changed_at)';
const LISTED_ID = "md5(concat_ws(' ', component, tag_name, source))";
const LIST = `
  SELECT ${RELEASE_COLUMNS}, ${LISTED_ID} AS id,
    to_char(${LISTED_AT} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM catalogue.releases
  WHERE ($1::text IS NULL OR component = $1)
    AND ($2::timestamptz IS NULL OR (${LISTED_AT}, ${LISTED_ID}) < ($2, $3))
  ORDER BY ${LISTED_AT} DESC, ${LISTED_ID} DESC LIMIT $4`;

/** Releases of one component or of all, newest first, including drafts and followed releases. */
export async function listReleases(
  sql: Sql,
  component: Component | undefined,
  after: Position | null,
  limit: number,
): Promise<(Release & { position: Position })[]> {
  const { rows } = await sql.query<Release & Position>(LIST, [
    component ?? null,
    after?.at ?? null,
    after?.id ?? null,
    limit,
  ]);
  return rows.map(({ at, id, ...release }) => ({ ...release, position: { at, id } }));
}

const responseOf = ({ tag, name, prerelease, assets }: Release) => ({
  tag_name: tag,
  name,
  prerelease,
  // jsonb does not keep the order of fields.
  assets: assets.map(({ name, url, size, content_type }) => ({ name, url, size, content_type })),
});

export const releaseResponse = (release: PublishedRelease): ReleaseResponse => ({
  ...responseOf(release),
  published_at: release.publishedAt.toISOString(),
});

export const adminReleaseResponse = (release: Release): AdminReleaseResponse => ({
  component: release.component,
  source: release.source,
  draft: release.draft,
  ...responseOf(release),
  published_at: release.publishedAt?.toISOString() ?? null,
});
