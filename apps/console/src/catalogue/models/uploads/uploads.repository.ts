import { newId, type Sql } from '@inference/database';
import { PACKAGE_COLUMNS, type PackageRow } from '../model-packages/package';

/**
 * How long an upload is valid without renewal. Long enough to outlast an outage of the database, after which renewals and
 * other replicas' cleanup jobs resume at the same moment.
 */
const LEASE_SECONDS = 900;

interface PackageName {
  slug: string;
  version: string;
}

/** A version that was published once stays reserved, even if its package is removed. */
const FIND_EXISTING = `
  SELECT ${PACKAGE_COLUMNS}, p.removed_at IS NOT NULL AS removed FROM catalogue.packages p
  WHERE p.slug = $1 AND p.version = $2 AND p.stored_at IS NOT NULL
    AND (p.removed_at IS NULL OR p.published_at IS NOT NULL)`;
const OPEN = `
  INSERT INTO catalogue.packages (id, slug, version, file_name, size, uploaded_by, uploading_until)
  VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}))`;
const HAS_MODEL = 'SELECT FROM catalogue.models WHERE slug = $1';
const DRAFT_MODEL = `
  INSERT INTO catalogue.models (id, slug, name, description) VALUES ($1, $2, $2, '') ON CONFLICT DO NOTHING`;
const RENEW = `
  UPDATE catalogue.packages SET uploading_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
  WHERE id = $1 AND uploading_until IS NOT NULL AND removed_at IS NULL`;
const LOCK_VERSION = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
const COMPLETE = `
  UPDATE catalogue.packages p SET sha256 = $2, stored_at = clock_timestamp(), uploading_until = NULL
  WHERE p.id = $1 AND p.stored_at IS NULL AND p.removed_at IS NULL
  RETURNING ${PACKAGE_COLUMNS}`;
/** The row lock waits for a completion whose outcome is unknown, so the result is definite. */
const ABANDON = `
  UPDATE catalogue.packages SET
    removed_at = CASE WHEN stored_at IS NULL THEN clock_timestamp() ELSE removed_at END,
    purged_at = CASE WHEN stored_at IS NULL THEN NULL ELSE purged_at END
  WHERE id = $1 RETURNING stored_at IS NOT NULL AS stored`;

/** The package that occupies a version, possibly a removed one. */
export type ExistingPackage = PackageRow & { removed: boolean };

/** Returns undefined if the version is free. */
export async function findExisting(
  sql: Sql,
  { slug, version }: PackageName,
): Promise<ExistingPackage | undefined> {
  return (await sql.query<ExistingPackage>(FIND_EXISTING, [slug, version])).rows[0];
}

/** Starts an upload, which the caller must renew. Creates the model as a draft if its slug is new. */
export async function openUpload(
  sql: Sql,
  id: string,
  { slug, version, fileName }: PackageName & { fileName: string },
  sizeBytes: number,
  adminId: string,
): Promise<void> {
  await sql.query(OPEN, [id, slug, version, fileName, sizeBytes, adminId]);
  if ((await sql.query(HAS_MODEL, [slug])).rowCount === 0) await sql.query(DRAFT_MODEL, [newId('mdl'), slug]);
}

/** Extends the upload. Returns false if another replica has given it up. */
export async function renewUpload(sql: Sql, id: string): Promise<boolean> {
  return (await sql.query(RENEW, [id])).rowCount === 1;
}

/**
 * Makes the upload the package of its version, as part of the caller's transaction. Returns the existing package if
 * another upload was completed first, and null if this one was given up.
 */
export async function completeUpload(
  sql: Sql,
  id: string,
  wanted: PackageName,
  sha256: Buffer,
): Promise<PackageRow | ExistingPackage | null> {
  await sql.query(LOCK_VERSION, [`catalogue.packages ${wanted.slug} ${wanted.version}`]);
  const existing = await findExisting(sql, wanted);
  if (existing) return existing;
  return (await sql.query<PackageRow>(COMPLETE, [id, sha256])).rows[0] ?? null;
}

/** Gives the upload up and returns true: the caller then removes its file. Returns false if it is complete. */
export async function abandonUpload(sql: Sql, id: string): Promise<boolean> {
  const { rows } = await sql.query<{ stored: boolean }>(ABANDON, [id]);
  return !rows[0]?.stored;
}
