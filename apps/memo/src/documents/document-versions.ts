import { ConflictException, NotFoundException } from '@nestjs/common';
import { newId, type Sql } from '@inference/database';
import { type Member } from '../access/member';
import { lockRole } from '../access/role-check';
import { discardVersion, retireVersion } from '../retrieval/index/retirement';
import { addIngestionJob, addMergeJob } from '../jobs/document-jobs';
import { type WorkspaceLimits } from './documents.config';
import { recordDeletion, recordGrowth } from './workspace-quota';
import { type Upload } from './uploads/upload-reader';

interface LockedDocument {
  id: string;
  external_id: string | null;
  version: number;
  serving_version: number | null;
}

const LOCK_COLUMNS = 'id, external_id, version, serving_version FROM memo.documents WHERE workspace_id = $1';
const LOCK_BY_ID = `SELECT ${LOCK_COLUMNS} AND id = $2 FOR UPDATE`;
/** In the order of ids. Two requests that exchange the external_ids of two documents would otherwise deadlock. */
const LOCK_WITH_HOLDER = `SELECT ${LOCK_COLUMNS} AND (id = $2 OR external_id = $3) ORDER BY id FOR UPDATE`;
const LOCK_BY_EXTERNAL_ID = `SELECT ${LOCK_COLUMNS} AND external_id = $2 FOR UPDATE`;
const INSERT = `
  INSERT INTO memo.documents (workspace_id, id, external_id, version, created_by) VALUES ($1, $2, $3, 1, $4)
  ON CONFLICT (workspace_id, external_id) DO NOTHING`;
const COMPARE = `
  SELECT bytes::float8, status <> 'failed' AND sha256 = $3 AND title = $4 AND metadata::jsonb = $5::jsonb
    AND media_type = $6 AS "isSame"
  FROM memo.document_versions WHERE document_id = $1 AND version = $2`;
const ADVANCE_VERSION = `
  UPDATE memo.documents SET version = $2, external_id = coalesce($3, external_id), updated_at = clock_timestamp()
  WHERE id = $1`;
const INSERT_VERSION = `
  INSERT INTO memo.document_versions
    (workspace_id, document_id, version, title, metadata, media_type, bytes, sha256, upload_id, uploaded_by, status)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'queued')`;
/** Versions between the published one and the newest: they are superseded before they were published. */
const DELETE_SUPERSEDED = `
  DELETE FROM memo.document_versions WHERE document_id = $1 AND version < $2 AND version IS DISTINCT FROM $3
  RETURNING version, upload_id`;
const DELETE_PARTS = 'DELETE FROM memo.source_parts WHERE upload_id = ANY($1)';
const DELETE_VERSIONS =
  'DELETE FROM memo.document_versions WHERE document_id = $1 RETURNING version, upload_id';
/** In the same order as the deletion of a conversation. */
const LOCK_CITATIONS = `
  SELECT FROM memo.citations WHERE document_id = $1 ORDER BY message_id, number FOR UPDATE`;
const DELETE = 'DELETE FROM memo.documents WHERE id = $1';
const UNIQUE_VIOLATION = '23505';

export const documentNotFound = () => new NotFoundException('no such document');
const externalIdTaken = () => new ConflictException('external_id: is used by another document');

/** Every function here runs in a transaction of the caller and changes a document under its row lock. */

/**
 * Adds a document, or a version of the document that has the upload's `external_id`. Throws 409 if the workspace
 * would exceed its limits. `changed` is false if the newest version is equal to the upload.
 */
export async function addDocument(
  sql: Sql,
  limits: WorkspaceLimits,
  member: Member,
  upload: Upload,
): Promise<{ id: string; isNew: boolean; changed: boolean }> {
  await lockRole(sql, member, 'editor');
  const { external_id: externalId = null } = upload.fields;
  // Two uploads may both find no document with this external_id. One inserts it; the other one waits for the unique
  // index and then finds it.
  for (;;) {
    const id = newId('doc');
    const { rowCount } = await sql.query(INSERT, [member.workspaceId, id, externalId, member.accountId]);
    if (rowCount === 1) {
      await insertVersion(sql, member, id, 1, upload);
      await recordGrowth(sql, limits, member.workspaceId, { documents: 1, bytes: upload.source.bytes });
      return { id, isNew: true, changed: true };
    }
    const found = await lockDocument(sql, LOCK_BY_EXTERNAL_ID, member, externalId!);
    if (found)
      return { id: found.id, isNew: false, changed: await addVersion(sql, limits, member, found, upload) };
  }
}

/**
 * Adds a version to a document. Returns false if the newest version is equal to the upload. Throws 404 if there is no
 * such document, and 409 if another document has the `external_id` or the workspace would exceed its limits.
 */
export async function replaceDocument(
  sql: Sql,
  limits: WorkspaceLimits,
  member: Member,
  id: string,
  upload: Upload,
): Promise<boolean> {
  await lockRole(sql, member, 'editor');
  const wanted = upload.fields.external_id ?? null;
  const { rows } = await sql.query<LockedDocument>(LOCK_WITH_HOLDER, [member.workspaceId, id, wanted]);
  const found = rows.find((row) => row.id === id);
  if (!found) throw documentNotFound();
  if (rows.length > 1) throw externalIdTaken();
  return addVersion(sql, limits, member, found, upload).catch((error: { code?: unknown }) => {
    throw error.code === UNIQUE_VIOLATION ? externalIdTaken() : error;
  });
}

export async function removeDocument(sql: Sql, member: Member, id: string): Promise<void> {
  await lockRole(sql, member, 'editor');
  const found = await lockDocument(sql, LOCK_BY_ID, member, id);
  if (!found) throw documentNotFound();
  if (found.serving_version !== null) await retireVersion(sql, id, found.serving_version);
  await recordDeletion(sql, id);
  const { rows } = await sql.query<{ version: number; upload_id: string | null }>(DELETE_VERSIONS, [id]);
  await sql.query(DELETE_PARTS, [rows.map((row) => row.upload_id)]);
  for (const { version } of rows)
    if (version !== found.serving_version) await discardVersion(sql, id, version);
  await sql.query(LOCK_CITATIONS, [id]);
  await sql.query(DELETE, [id]);
  // This lock comes last, because all deletions in the workspace update the same job row and wait for each other here.
  if (found.serving_version !== null) await addMergeJob(sql, member.workspaceId);
}

async function lockDocument(
  sql: Sql,
  text: string,
  member: Member,
  id: string,
): Promise<LockedDocument | undefined> {
  return (await sql.query<LockedDocument>(text, [member.workspaceId, id])).rows[0];
}

async function addVersion(
  sql: Sql,
  limits: WorkspaceLimits,
  member: Member,
  found: LockedDocument,
  upload: Upload,
): Promise<boolean> {
  const { source, fields, mediaType } = upload;
  const same = [source.sha256, fields.title, JSON.stringify(fields.metadata), mediaType];
  const { rows } = await sql.query<{ bytes: number; isSame: boolean }>(COMPARE, [
    ...[found.id, found.version, ...same],
  ]);
  const newest = rows[0]!;
  const { external_id: externalId = null } = fields;
  const isNamed = externalId === null || externalId === found.external_id;
  if (newest.isSame && isNamed) return false;
  const version = found.version + 1;
  await sql.query(ADVANCE_VERSION, [found.id, version, externalId]);
  const passed = await sql.query<{ version: number; upload_id: string | null }>(DELETE_SUPERSEDED, [
    ...[found.id, version, found.serving_version],
  ]);
  await sql.query(DELETE_PARTS, [passed.rows.map((row) => row.upload_id)]);
  for (const row of passed.rows) await discardVersion(sql, found.id, row.version);
  await insertVersion(sql, member, found.id, version, upload);
  await recordGrowth(sql, limits, member.workspaceId, { documents: 0, bytes: source.bytes - newest.bytes });
  return true;
}

async function insertVersion(
  sql: Sql,
  { workspaceId, accountId }: Member,
  id: string,
  version: number,
  { source, fields, mediaType }: Upload,
): Promise<void> {
  const { title, metadata } = fields;
  const { bytes, sha256, uploadId } = source;
  await sql.query(INSERT_VERSION, [
    ...[workspaceId, id, version, title, JSON.stringify(metadata), mediaType],
    ...[bytes, sha256, uploadId, accountId],
  ]);
  await addIngestionJob(sql, { documentId: id, version, bytes });
}
