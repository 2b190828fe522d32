import { type Sql } from '@inference/database';

const LIST = `
  SELECT slug, changed_at AS "changedAt" FROM catalogue.models
  WHERE package_id IS NOT NULL AND slug > $1 ORDER BY slug LIMIT $2`;

export interface PublishedSlug {
  slug: string;
  changedAt: Date;
}

/** The published models whose slugs sort after `afterSlug`, in the order of their slugs. */
export async function listPublishedSlugs(
  sql: Sql,
  afterSlug: string,
  limit: number,
): Promise<PublishedSlug[]> {
  return (await sql.query<PublishedSlug>(LIST, [afterSlug, limit])).rows;
}
