import { type Sql } from '@inference/database';
import { type Days } from './downloads.dto';

/** `links` may be more than downloads: whoever resumes one asks for a new link. */
const READ = `
  SELECT p.slug, p.version, count(*) AS downloads, count(DISTINCT d.account_id) AS accounts, sum(d.links) AS links
  FROM catalogue.package_downloads d JOIN catalogue.packages p ON p.id = d.package_id
  WHERE d.day BETWEEN $1::date AND $2::date
  GROUP BY p.slug, p.version ORDER BY downloads DESC, p.slug, p.version LIMIT $3`;

export interface PackageDownloads {
  slug: string;
  version: string;
  /** An account on a UTC day, however many links it took. */
  downloads: bigint;
  accounts: bigint;
  links: bigint;
}

/** The most downloaded packages of these days first. */
export async function readPackageDownloads(
  sql: Sql,
  { from, to }: Days,
  limit: number,
): Promise<PackageDownloads[]> {
  return (await sql.query<PackageDownloads>(READ, [from, to, limit])).rows;
}
