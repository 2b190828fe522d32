import { type Sql } from '@inference/database';
import { PACKAGE_COLUMNS, type PackageRow } from './package';

/** Bounds the response: an admin sees the newest packages of a model. */
const MAX_LISTED = 1_000;

const LIST = `
  SELECT ${PACKAGE_COLUMNS} FROM catalogue.packages p
  WHERE p.slug = $1 AND p.removed_at IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT ${MAX_LISTED}`;
const LOCK = `
  SELECT ${PACKAGE_COLUMNS} FROM catalogue.packages p
  WHERE p.slug = $1 AND p.version = $2 AND p.stored_at IS NOT NULL AND p.removed_at IS NULL FOR UPDATE`;
const MARK_PUBLISHED = `
  UPDATE catalogue.packages SET published_at = clock_timestamp() WHERE id = $1 AND published_at IS NULL`;
const IS_PUBLISHED = 'SELECT FROM catalogue.models WHERE slug = $1 AND package_id = $2';
const REMOVE = 'UPDATE catalogue.packages SET removed_at = clock_timestamp() WHERE id = $1';

/** The newest packages of a model, stored or being uploaded. */
export async function listPackages(sql: Sql, slug: string): Promise<PackageRow[]> {
  return (await sql.query<PackageRow>(LIST, [slug])).rows;
}

/**
 * Locks a stored package until the caller's transaction ends; undefined if there is none. Publication and removal lock
 * it first, so a published package is never removed.
 */
export async function lockPackage(sql: Sql, slug: string, version: string): Promise<PackageRow | undefined> {
  return (await sql.query<PackageRow>(LOCK, [slug, version])).rows[0];
}

/** Records the time of the first publication. */
export async function markPublished(sql: Sql, packageId: string): Promise<void> {
  await sql.query(MARK_PUBLISHED, [packageId]);
}

export async function isPublished(sql: Sql, slug: string, packageId: string): Promise<boolean> {
  return (await sql.query(IS_PUBLISHED, [slug, packageId])).rowCount !== 0;
}

/** Marks it as removed; the cleanup job deletes the file when no link to it is valid any more. */
export async function removePackage(sql: Sql, packageId: string): Promise<void> {
  await sql.query(REMOVE, [packageId]);
}
