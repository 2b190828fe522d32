import { type Executor, type Transaction } from '@inference/database';
import { IsNull, Not, Raw } from 'typeorm';
import { Package } from '../model.entity';
import { type ShownPackage } from '../model-packages/packages.dto';

/**
 * How long an upload is valid without renewal. Long enough to outlast an outage of the database, after which renewals and
 * other replicas' cleanup jobs resume at the same moment.
 */
const LEASE_SECONDS = 900;

const endOfLease = () => `clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`;

/** Starts an upload, which the caller must renew. */
export async function openUpload(
  executor: Executor,
  upload: Pick<Package, 'id' | 'slug' | 'version' | 'fileName' | 'size' | 'uploadedBy'>,
): Promise<void> {
  await executor.repository(Package).insert({ ...upload, uploadingUntil: endOfLease });
}

/**
 * How long an upload that can be resumed is valid after its last part. Chosen: a week of absence; the parts take the space of
 * the storage for as long.
 */
const RESUMABLE_LEASE_DAYS = 7;

/** Extends an upload that can be resumed. Returns false if it was given up. */
export async function extendResumableUpload(executor: Executor, id: string): Promise<boolean> {
  const { affected } = await executor
    .repository(Package)
    .update(
      { id, uploadingUntil: Not(IsNull()), removedAt: IsNull() },
      { uploadingUntil: () => `clock_timestamp() + make_interval(days => ${RESUMABLE_LEASE_DAYS})` },
    );
  return affected === 1;
}

/** Extends the upload. Returns false if another replica has given it up. */
export async function renewUpload(executor: Executor, id: string): Promise<boolean> {
  const { affected } = await executor
    .repository(Package)
    .update({ id, uploadingUntil: Not(IsNull()), removedAt: IsNull() }, { uploadingUntil: endOfLease });
  return affected === 1;
}

const LOCK_VERSION = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

/** Of the uploads of one version, one at a time holds this lock until its transaction ends. */
export async function lockVersion(transaction: Transaction, slug: string, version: string): Promise<void> {
  await transaction.query(LOCK_VERSION, [`catalogue.packages ${slug} ${version}`]);
}

const SHOWN_COLUMNS = `
  slug, version, file_name AS "fileName", size, sha256, created_at AS "createdAt", stored_at AS "storedAt",
  published_at AS "publishedAt"`;

/** Makes the upload the package of its version. Returns undefined if it was given up. */
export async function completeUpload(
  transaction: Transaction,
  id: string,
  sha256: Buffer,
): Promise<ShownPackage | undefined> {
  const { raw } = await transaction
    .repository(Package)
    .createQueryBuilder()
    .update({ sha256, storedAt: () => 'clock_timestamp()', uploadingUntil: null })
    .where({ id, storedAt: IsNull(), removedAt: IsNull() })
    .returning(SHOWN_COLUMNS)
    .execute();
  return (raw as ShownPackage[])[0];
}

/** The row lock waits for a completion whose outcome is unknown, so the result is definite. */
const ABANDON = `
  UPDATE catalogue.packages SET
    removed_at = CASE WHEN stored_at IS NULL THEN clock_timestamp() ELSE removed_at END,
    purged_at = CASE WHEN stored_at IS NULL THEN NULL ELSE purged_at END
  WHERE id = $1 RETURNING stored_at IS NOT NULL AS stored`;

/** Gives the upload up and returns true: the caller then removes its file. Returns false if it is complete. */
export async function abandonUpload(executor: Executor, id: string): Promise<boolean> {
  const { rows } = await executor.query<{ stored: boolean }>(ABANDON, [id]);
  return !rows[0]?.stored;
}

/** Gives up the uploads whose lease has expired. Their own replicas can then not complete them. */
export async function abandonExpiredUploads(executor: Executor): Promise<void> {
  await executor
    .repository(Package)
    .update(
      { storedAt: IsNull(), removedAt: IsNull(), uploadingUntil: Raw((column) => `${column} < now()`) },
      { removedAt: () => 'clock_timestamp()' },
    );
}
