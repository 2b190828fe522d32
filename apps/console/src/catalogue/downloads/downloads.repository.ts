import { type Executor } from '@inference/database';
import { type ReleaseLookup } from './download.entity';
import { type ComponentLookupsResponse, type Days, type ModelDownloadsResponse } from './downloads.dto';

const COUNT_DOWNLOAD = `
  INSERT INTO catalogue.package_downloads (package_id, day, account_id, links)
  VALUES ($1, (now() AT TIME ZONE 'UTC')::date, $2, 1)
  ON CONFLICT (package_id, day, account_id) DO UPDATE SET links = package_downloads.links + 1`;
/** Ordered, so that two replicas lock the rows in the same order and cannot deadlock. */
const ADD_LOOKUPS = `
  INSERT INTO catalogue.release_lookups AS known (component, tag_name, day, lookups)
  SELECT * FROM unnest($1::text[], $2::text[], $3::date[], $4::bigint[]) AS added (component, tag_name, day, lookups)
  ORDER BY component, tag_name, day
  ON CONFLICT (component, tag_name, day) DO UPDATE SET lookups = known.lookups + excluded.lookups`;
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

/** Counts one link to a package that an account was given today (UTC). */
export async function countPackageDownload(
  executor: Executor,
  packageId: string,
  accountId: string,
): Promise<void> {
  await executor.query(COUNT_DOWNLOAD, [packageId, accountId]);
}

/** Adds the lookups to those that are stored. */
export async function addReleaseLookups(executor: Executor, counts: ReleaseLookup[]): Promise<void> {
  await executor.query(ADD_LOOKUPS, [
    counts.map(({ component }) => component),
    counts.map(({ tagName }) => tagName),
    counts.map(({ day }) => day),
    counts.map(({ lookups }) => lookups),
  ]);
}

/** Downloads of each model, or of the one with this slug, in these days; most downloaded first. */
export async function readModelDownloads(
  executor: Executor,
  { from, to }: Days,
  slug: string | null,
  limit: number,
): Promise<ModelDownloadsResponse[]> {
  return (await executor.query<ModelDownloadsResponse>(MODELS, [from, to, slug, limit])).rows;
}

/** Lookups of the latest releases in these days, by component; most looked up first. */
export async function readComponentLookups(
  executor: Executor,
  { from, to }: Days,
): Promise<ComponentLookupsResponse[]> {
  return (await executor.query<ComponentLookupsResponse>(COMPONENTS, [from, to])).rows;
}
