import { type Sql } from '@inference/database';
import { type ComponentLookupsResponse, type Days, type ModelDownloadsResponse } from './downloads.dto';

const MODELS = `
  WITH counted AS (
    SELECT p.slug, p.version, d.account_id, d.links
    FROM catalogue.package_downloads d JOIN catalogue.packages p ON p.id = d.package_id
    WHERE d.day BETWEEN $1::date AND $2::date AND ($3::text IS NULL OR p.slug = $3)
  ), versions AS (
    SELECT slug, version, count(*) AS downloads, count(DISTINCT account_id) AS accounts, sum(links) AS links
    FROM counted GROUP BY slug, version
  )
  SELECT slug, count(*) AS downloads, count(DISTINCT account_id) AS accounts, sum(links) AS links,
    (SELECT json_agg(json_build_object('version', version, 'downloads', v.downloads, 'accounts', v.accounts,
      'links', v.links) ORDER BY v.downloads DESC, version) FROM versions v WHERE v.slug = counted.slug) AS versions
  FROM counted GROUP BY slug ORDER BY downloads DESC, slug LIMIT $4`;
const COMPONENTS = `
  WITH releases AS (
    SELECT component, tag_name, sum(lookups) AS lookups FROM catalogue.release_lookups
    WHERE day BETWEEN $1::date AND $2::date GROUP BY component, tag_name
  )
  SELECT component, sum(lookups) AS lookups,
    json_agg(json_build_object('tag_name', tag_name, 'lookups', lookups) ORDER BY lookups DESC, tag_name) AS releases
  FROM releases GROUP BY component ORDER BY lookups DESC, component`;

/** Downloads of each model, or of the one with this slug, in these days; most downloaded first. */
export async function readModelDownloads(
  sql: Sql,
  { from, to }: Days,
  slug: string | null,
  limit: number,
): Promise<ModelDownloadsResponse[]> {
  return (await sql.query<ModelDownloadsResponse>(MODELS, [from, to, slug, limit])).rows;
}

/** Lookups of the latest releases in these days, by component; most looked up first. */
export async function readComponentLookups(
  sql: Sql,
  { from, to }: Days,
): Promise<ComponentLookupsResponse[]> {
  return (await sql.query<ComponentLookupsResponse>(COMPONENTS, [from, to])).rows;
}
