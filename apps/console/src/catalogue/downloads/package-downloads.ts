import { type Sql } from '@inference/database';

const COUNT = `
  INSERT INTO catalogue.package_downloads (package_id, day, account_id, links)
  VALUES ($1, (now() AT TIME ZONE 'UTC')::date, $2, 1)
  ON CONFLICT (package_id, day, account_id) DO UPDATE SET links = package_downloads.links + 1`;

/** Counts one link to a package that an account was given today (UTC). */
export async function countPackageDownload(sql: Sql, packageId: string, accountId: string): Promise<void> {
  await sql.query(COUNT, [packageId, accountId]);
}
