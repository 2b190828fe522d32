import { type Sql } from '@inference/database';
import { type Position } from '@inference/http';
import { type Component } from './component';
import { type ReleaseAsset } from './release-asset';
import { sortReleases, type Taggable } from './release-tag';

/** Who published it: an admin here, or whoever publishes at the code host that is followed. */
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

/** Spec: Release. */
export interface ReleaseView {
  tag_name: string;
  name: string;
  prerelease: boolean;
  published_at: string | null;
  assets: ReleaseAsset[];
}

export interface AdminReleaseView extends ReleaseView {
  component: Component;
  source: ReleaseSource;
  draft: boolean;
}

export const RELEASE_COLUMNS = `
  component, tag_name AS tag, source, name, draft, prerelease, assets, published_at AS "publishedAt"`;

/** Of a tag the admin's alone, if there is one: a draft hides what is followed, and so does one that lies elsewhere. */
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
 * The newest published release by semantic version, a prerelease only if there is nothing else; null when there is none.
 * What has files elsewhere than at the code host, which was another one then, does not count.
 */
export async function findLatest(
  sql: Sql,
  component: Component,
  codeHostUrl: string,
): Promise<Release | null> {
  const root = `${new URL(codeHostUrl).origin}/`;
  for (;;) {
    const { rows } = await sql.query<Taggable & { source: ReleaseSource }>(TAGS, [component, root]);
    const [latest] = sortReleases(rows);
    if (!latest) return null;
    const found = await sql.query<Release>(FIND_PUBLISHED, [component, latest.tag, latest.source]);
    if (found.rows[0]) return found.rows[0];
    // It was replaced or withdrawn in between.
  }
}

/** A draft's place is where it was last changed. */
const LISTED_AT = 'COALESCE(published_at, changed_at)';
const LISTED_ID = "md5(concat_ws(' ', component, tag_name, source))";
const LIST = `
  SELECT ${RELEASE_COLUMNS}, ${LISTED_ID} AS id,
    to_char(${LISTED_AT} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM catalogue.releases
  WHERE ($1::text IS NULL OR component = $1)
    AND ($2::timestamptz IS NULL OR (${LISTED_AT}, ${LISTED_ID}) < ($2, $3))
  ORDER BY ${LISTED_AT} DESC, ${LISTED_ID} DESC LIMIT $4`;

/** Of one component or all, newest first, drafts and the followed ones included. */
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

export function releaseView({ tag, name, prerelease, publishedAt, assets }: Release): ReleaseView {
  return {
    tag_name: tag,
    name,
    prerelease,
    published_at: publishedAt?.toISOString() ?? null,
    // The database keeps the fields in an order of its own.
    assets: assets.map(({ name, url, size, content_type }) => ({ name, url, size, content_type })),
  };
}

export function adminReleaseView(release: Release): AdminReleaseView {
  const { component, source, draft } = release;
  return { component, source, draft, ...releaseView(release) };
}
