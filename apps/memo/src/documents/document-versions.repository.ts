import { type Executor, type Transaction } from '@inference/database';
import { MoreThanOrEqual } from 'typeorm';
import { Chunk } from '../tables/chunk.entity';
import { DocumentVersion } from '../tables/document-version.entity';
import { type MemoDocument } from '../tables/document.entity';

type UploadedVersion = Pick<DocumentVersion, 'title' | 'metadata' | 'mediaType' | 'sha256'>;

type NewVersion = UploadedVersion &
  Pick<DocumentVersion, 'documentId' | 'version' | 'workspaceId' | 'bytes' | 'uploadId' | 'uploadedBy'>;

type DeletedVersion = Pick<DocumentVersion, 'version' | 'uploadId'>;

/**
 * A new number, because what the failed attempt has stored is deleted in the background by the old one. It is read alone: the
 * attempt before may have ended a process.
 */
const RETRY = `
  UPDATE memo.document_versions SET version = version + 1, status = 'queued', attempts = 1, error_code = NULL,
    error_message = NULL, processed = 0, total = NULL, heartbeat_at = clock_timestamp()
  WHERE document_id = $1 AND version = $2 AND status = 'failed' AND upload_id IS NOT NULL
  RETURNING version, media_type AS "mediaType", bytes`;
/** In the same order as `lockCitationsOfConversation`. */
const LOCK_CITATIONS = `
  SELECT FROM memo.citations WHERE document_id = $1 ORDER BY message_id, number FOR UPDATE`;
const COMPARE = `
  SELECT bytes, status <> 'failed' AND sha256 = $3 AND title = $4 AND metadata::jsonb = $5::jsonb
    AND media_type = $6 AS "isSame"
  FROM memo.document_versions WHERE document_id = $1 AND version = $2`;
const DELETE_SUPERSEDED = `
  DELETE FROM memo.document_versions WHERE document_id = $1 AND version < $2 AND version IS DISTINCT FROM $3
  RETURNING version, upload_id AS "uploadId"`;
const DELETE_ALL = `
  DELETE FROM memo.document_versions WHERE document_id = $1 RETURNING version, upload_id AS "uploadId"`;

export async function insertVersion(transaction: Transaction, version: NewVersion): Promise<void> {
  await transaction.repository(DocumentVersion).insert({ ...version, status: 'queued' });
}

/** Reads the size of the newest version of a document, and whether it is equal to an upload. A failed one never is. */
export async function compareNewest(
  transaction: Transaction,
  { id, version }: Pick<MemoDocument, 'id' | 'version'>,
  { sha256, title, metadata, mediaType }: UploadedVersion,
): Promise<Pick<DocumentVersion, 'bytes'> & { isSame: boolean }> {
  const values = [id, version, sha256, title, JSON.stringify(metadata), mediaType];
  return (await transaction.query<Pick<DocumentVersion, 'bytes'> & { isSame: boolean }>(COMPARE, values))
    .rows[0]!;
}

/** Queues the newest version of a document again under the next number. Null unless it has failed and its file is stored. */
export async function requeueFailedVersion(
  transaction: Transaction,
  { id, version }: Pick<MemoDocument, 'id' | 'version'>,
): Promise<Pick<DocumentVersion, 'version' | 'mediaType' | 'bytes'> | null> {
  type Row = Pick<DocumentVersion, 'version' | 'mediaType' | 'bytes'>;
  return (await transaction.query<Row>(RETRY, [id, version])).rows[0] ?? null;
}

/** Deletes the versions between the published one and the newest: they are superseded before they were published. */
export async function deleteSupersededVersions(
  transaction: Transaction,
  { id, servingVersion }: Pick<MemoDocument, 'id' | 'servingVersion'>,
  newest: number,
): Promise<DeletedVersion[]> {
  return (await transaction.query<DeletedVersion>(DELETE_SUPERSEDED, [id, newest, servingVersion])).rows;
}

export async function deleteVersions(
  transaction: Transaction,
  documentId: string,
): Promise<DeletedVersion[]> {
  return (await transaction.query<DeletedVersion>(DELETE_ALL, [documentId])).rows;
}

/** Reads a part of the text of a version: up to `count` chunks, from the one with the index `from`. */
export function readChunks(
  executor: Executor,
  { documentId, version }: Pick<Chunk, 'documentId' | 'version'>,
  from: number,
  count: number,
): Promise<Pick<Chunk, 'lead' | 'text'>[]> {
  return executor.repository(Chunk).find({
    select: { n: true, lead: true, text: true },
    where: { documentId, version, n: MoreThanOrEqual(from) },
    order: { n: 'ASC' },
    take: count,
  });
}

/** Locks all citations of a document. */
export async function lockCitationsOfDocument(transaction: Transaction, documentId: string): Promise<void> {
  await transaction.query(LOCK_CITATIONS, [documentId]);
}
