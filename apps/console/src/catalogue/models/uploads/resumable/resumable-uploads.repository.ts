import { type Executor, type Transaction } from '@inference/database';
import { IsNull } from 'typeorm';
import { type Origin } from '../../../../accounts/audit-log/actor';
import { type Package } from '../../model.entity';
import { ResumableUpload, UploadPart } from './resumable-upload.entity';

/** An upload with its package and the parts that have arrived. */
export type UploadWithParts = Pick<
  Package,
  'id' | 'slug' | 'version' | 'fileName' | 'size' | 'createdAt' | 'uploadingUntil' | 'storedAt'
> &
  Pick<
    ResumableUpload,
    | 'partBytes'
    | 'storageUploadId'
    | 'announcedSha256'
    | 'fileModifiedAt'
    | 'submittedAt'
    | 'completedAt'
    | 'failureCode'
    | 'failureMessage'
  > & {
    /** In ascending order. */
    arrivedParts: number[];
  };

const SELECT = `
  SELECT p.id, p.slug, p.version, p.file_name AS "fileName", p.size, p.created_at AS "createdAt",
    p.uploading_until AS "uploadingUntil", p.stored_at AS "storedAt", u.part_bytes AS "partBytes",
    u.storage_upload_id AS "storageUploadId", u.announced_sha256 AS "announcedSha256",
    u.file_modified_at AS "fileModifiedAt", u.submitted_at AS "submittedAt", u.completed_at AS "completedAt",
    u.failure_code AS "failureCode", u.failure_message AS "failureMessage",
    ARRAY(
      SELECT number FROM catalogue.upload_parts
      WHERE package_id = u.package_id AND stored_at IS NOT NULL ORDER BY number
    ) AS "arrivedParts"
  FROM catalogue.resumable_uploads u JOIN catalogue.packages p ON p.id = u.package_id
  WHERE p.uploaded_by = $1`;

const FIND = `${SELECT}
  AND p.id = $2 AND (p.removed_at IS NULL OR u.completed_at IS NOT NULL OR u.failure_code IS NOT NULL)`;

/** An upload of this account; undefined if there is none, or if it was given up. */
export async function findOwnUpload(
  executor: Executor,
  accountId: string,
  id: string,
): Promise<UploadWithParts | undefined> {
  return (await executor.query<UploadWithParts>(FIND, [accountId, id])).rows[0];
}

const LIST_UNFINISHED = `${SELECT}
  AND p.stored_at IS NULL AND p.removed_at IS NULL AND u.completed_at IS NULL AND u.failure_code IS NULL
  ORDER BY p.created_at DESC, p.id DESC LIMIT $2`;

/** The newest uploads of this account that are uploading or completing. */
export async function listUnfinishedUploads(
  executor: Executor,
  accountId: string,
  limit: number,
): Promise<UploadWithParts[]> {
  return (await executor.query<UploadWithParts>(LIST_UNFINISHED, [accountId, limit])).rows;
}

export async function insertResumableUpload(
  transaction: Transaction,
  upload: Pick<
    ResumableUpload,
    'packageId' | 'partBytes' | 'storageUploadId' | 'announcedSha256' | 'fileModifiedAt'
  >,
): Promise<void> {
  await transaction.repository(ResumableUpload).insert(upload);
}

/** Deletes the upload and its parts, but not the package. */
export async function deleteResumableUpload(executor: Executor, packageId: string): Promise<void> {
  await executor.repository(ResumableUpload).delete({ packageId });
}

/** Stores the digest of a part, unless it has one, and returns what is stored then. Undefined if the upload was discarded. */
export async function reservePart(
  executor: Executor,
  part: Pick<UploadPart, 'packageId' | 'number' | 'sha256'>,
): Promise<Pick<UploadPart, 'sha256' | 'storedAt'> | undefined> {
  const { packageId, number, sha256 } = part;
  await executor.query(RESERVE_PART, [packageId, number, sha256]);
  const stored = await executor.repository(UploadPart).findOne({
    select: { packageId: true, number: true, sha256: true, storedAt: true },
    where: { packageId, number },
  });
  return stored ?? undefined;
}

const RESERVE_PART = `
  INSERT INTO catalogue.upload_parts (package_id, number, sha256)
  SELECT package_id, $2, $3 FROM catalogue.resumable_uploads WHERE package_id = $1
  ON CONFLICT DO NOTHING`;

export async function markPartStored(
  transaction: Transaction,
  packageId: string,
  number: number,
): Promise<void> {
  await transaction
    .repository(UploadPart)
    .update({ packageId, number }, { storedAt: () => 'clock_timestamp()' });
}

/** Queues the completion, once. */
export async function submitUpload(
  transaction: Transaction,
  packageId: string,
  submittedFrom: Origin,
): Promise<void> {
  await transaction
    .repository(ResumableUpload)
    .update(
      { packageId, submittedAt: IsNull() },
      { submittedAt: () => 'now()', nextAttemptAt: () => 'now()', submittedFrom },
    );
}
