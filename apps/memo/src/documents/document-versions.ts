import { ConflictException, NotFoundException } from '@nestjs/common';
import { isUniqueViolation, newId, type Transaction } from '@inference/database';
import { type Member } from '../access/member';
import { lockRole } from '../access/role-check';
import { discardVersion } from '../retrieval/index/storage/garbage.repository';
import { retireVersion } from '../retrieval/index/storage/retired-chunks.repository';
import { addMergeJob, addSeparateJobs } from '../jobs/document-jobs.repository';
import { type WorkspaceLimits } from './documents.config';
import { insertNewDocuments, newDocument } from './new-documents.repository';
import {
  advanceVersion,
  type DocumentWithVersions,
  deleteDocument,
  lockDocument,
  lockDocumentAndHolder,
} from './documents.repository';
import {
  compareNewest,
  deleteSupersededVersions,
  deleteVersions,
  insertVersion,
  lockCitationsOfDocument,
  requeueFailedVersion,
} from './document-versions.repository';
import { type MemoDocument } from '../tables/document.entity';
import { deleteParts, insertPart } from './source-files/source-parts.repository';
import { recordGrowth } from './usage/workspace-quota';
import { subtractDocument } from './usage/workspace-usage.repository';
import { type Upload } from './uploads/upload-reader';

export const documentNotFound = () => new NotFoundException('no such document');
const externalIdTaken = () => new ConflictException('external_id: is used by another document');

/**
 * Every function here runs in a transaction of the caller and changes a document under its row lock. The caller queues the
 * short documents that it adds after the commit.
 */

/**
 * Adds new documents. Throws 409 if the workspace would exceed its limits: then none is added. Null for a document whose
 * `external_id` is taken, which is not added.
 */
export async function addNewDocuments(
  transaction: Transaction,
  limits: WorkspaceLimits,
  member: Member,
  uploads: readonly Upload[],
): Promise<(DocumentWithVersions | null)[]> {
  await lockRole(transaction, member, 'editor');
  return insertUploads(transaction, limits, member, uploads);
}

/**
 * Adds a document, or a version of the document that has the upload's `external_id`. Throws 409 if the workspace
 * would exceed its limits. `changed` is false if the newest version is equal to the upload.
 */
export async function addDocument(
  transaction: Transaction,
  limits: WorkspaceLimits,
  member: Member,
  upload: Upload,
): Promise<{ id: string; isNew: boolean; changed: boolean }> {
  await lockRole(transaction, member, 'editor');
  const { workspaceId } = member;
  // Two uploads may both find no document with this external_id. One inserts it; the other one waits for the unique
  // index and then finds it.
  for (;;) {
    const [added] = await insertUploads(transaction, limits, member, [upload]);
    if (added) return { id: added.id, isNew: true, changed: true };
    const found = await lockDocument(transaction, workspaceId, { externalId: upload.fields.external_id! });
    if (found)
      return {
        id: found.id,
        isNew: false,
        changed: await addVersion(transaction, limits, member, found, upload),
      };
  }
}

/**
 * Adds a version to a document. Returns false if the newest version is equal to the upload. Throws 404 if there is no
 * such document, and 409 if another document has the `external_id` or the workspace would exceed its limits.
 */
export async function replaceDocument(
  transaction: Transaction,
  limits: WorkspaceLimits,
  member: Member,
  id: string,
  upload: Upload,
): Promise<boolean> {
  await lockRole(transaction, member, 'editor');
  const wanted = upload.fields.external_id ?? null;
  const locked = await lockDocumentAndHolder(transaction, member.workspaceId, id, wanted);
  const found = locked.find((document) => document.id === id);
  if (!found) throw documentNotFound();
  if (locked.length > 1) throw externalIdTaken();
  return addVersion(transaction, limits, member, found, upload).catch((error: unknown) => {
    throw isUniqueViolation(error) ? externalIdTaken() : error;
  });
}

/**
 * Lets the newest version of a document be read once more, under the next version number. Throws 404 if there is no such document,
 * and 409 unless the version has failed and its file is stored.
 */
export async function retryDocument(transaction: Transaction, member: Member, id: string): Promise<void> {
  await lockRole(transaction, member, 'editor');
  const found = await lockDocument(transaction, member.workspaceId, { id });
  if (!found) throw documentNotFound();
  const queued = await requeueFailedVersion(transaction, found);
  if (!queued)
    throw new ConflictException(
      'the newest version has not failed, or its file is not stored any more; upload the file again',
    );
  await advanceVersion(transaction, id, queued.version, null);
  await addSeparateJobs(transaction, [
    { documentId: id, workspaceId: member.workspaceId, attempts: 1, ...queued },
  ]);
}

export async function removeDocument(transaction: Transaction, member: Member, id: string): Promise<void> {
  await lockRole(transaction, member, 'editor');
  const found = await lockDocument(transaction, member.workspaceId, { id });
  if (!found) throw documentNotFound();
  if (found.servingVersion !== null) await retireVersion(transaction, id, found.servingVersion);
  await subtractDocument(transaction, id);
  const deleted = await deleteVersions(transaction, id);
  await deleteParts(transaction, uploadsOf(deleted));
  for (const { version } of deleted)
    if (version !== found.servingVersion) await discardVersion(transaction, id, version);
  await lockCitationsOfDocument(transaction, id);
  await deleteDocument(transaction, id);
  // This lock comes last, because all deletions in the workspace update the same job row and wait for each other here.
  if (found.servingVersion !== null) await addMergeJob(transaction, member.workspaceId);
}

/** Stores uploads as documents. Null for an upload whose `external_id` is taken. */
async function insertUploads(
  transaction: Transaction,
  limits: WorkspaceLimits,
  member: Member,
  uploads: readonly Upload[],
): Promise<(DocumentWithVersions | null)[]> {
  const { workspaceId } = member;
  const given = uploads.map(
    ({
      source: { head: _head, ...file },
      mediaType,
      fields: { external_id: externalId = null, ...fields },
    }) => ({
      ...{ id: newId('doc'), externalId, mediaType },
      ...fields,
      ...file,
    }),
  );
  const times = await insertNewDocuments(transaction, member, given);
  const added = given.filter(({ id }) => times.has(id));
  if (added.length > 0) {
    const versions = added.map(({ id, bytes, mediaType }) => ({
      documentId: id,
      version: 1,
      workspaceId,
      mediaType,
      bytes,
      attempts: 0,
    }));
    await addSeparateJobs(transaction, versions);
    const bytes = added.reduce((sum, document) => sum + document.bytes, 0);
    await recordGrowth(transaction, limits, workspaceId, { documents: added.length, bytes });
  }
  return given.map((document) => {
    const found = times.get(document.id);
    return found ? newDocument(member, { ...document, ...found }) : null;
  });
}

async function addVersion(
  transaction: Transaction,
  limits: WorkspaceLimits,
  member: Member,
  found: MemoDocument,
  upload: Upload,
): Promise<boolean> {
  const { source, fields, mediaType } = upload;
  const { title, metadata, external_id: externalId = null } = fields;
  const uploaded = { sha256: source.sha256, title, metadata, mediaType };
  const newest = await compareNewest(transaction, found, uploaded);
  const isNamed = externalId === null || externalId === found.externalId;
  if (newest.isSame && isNamed) return false;
  const version = found.version + 1;
  await advanceVersion(transaction, found.id, version, externalId);
  const superseded = await deleteSupersededVersions(transaction, found, version);
  await deleteParts(transaction, uploadsOf(superseded));
  for (const passed of superseded) await discardVersion(transaction, found.id, passed.version);
  await storeVersion(transaction, member, found.id, version, upload);
  const growth = { documents: 0, bytes: source.bytes - Number(newest.bytes) };
  await recordGrowth(transaction, limits, member.workspaceId, growth);
  return true;
}

async function storeVersion(
  transaction: Transaction,
  { workspaceId, accountId: uploadedBy }: Member,
  documentId: string,
  version: number,
  { source, fields: { title, metadata }, mediaType }: Upload,
): Promise<void> {
  const { bytes, sha256, uploadId, content } = source;
  if (content) await insertPart(transaction, { uploadId, n: 0, bytes: content });
  await insertVersion(transaction, {
    ...{ documentId, version, workspaceId, title, metadata, mediaType },
    ...{ bytes: BigInt(bytes), sha256, uploadId, uploadedBy },
  });
  await addSeparateJobs(transaction, [{ documentId, version, workspaceId, mediaType, bytes, attempts: 0 }]);
}

/** The files that are still stored. */
const uploadsOf = (versions: { uploadId: string | null }[]): string[] =>
  versions.flatMap(({ uploadId }) => uploadId ?? []);
