import { type Executor, type Position, readNewestFirst, type Transaction } from '@inference/database';
import { In, IsNull, Not, type SelectQueryBuilder } from 'typeorm';
import { type DocumentStatus, DocumentVersion } from '../tables/document-version.entity';
import { MemoDocument } from '../tables/document.entity';

export interface DocumentWithVersions extends MemoDocument {
  newest: DocumentVersion;
  /** Null until a version is ready. */
  serving: Pick<
    DocumentVersion,
    'version' | 'chunkCount' | 'mediaType' | 'bytes' | 'uploadId' | 'omissions'
  > | null;
}

/** Null if the workspace has no such document. */
export function findDocument(
  executor: Executor,
  workspaceId: string,
  id: string,
): Promise<DocumentWithVersions | null> {
  return withVersions(executor).where({ workspaceId, id }).getOne();
}

export interface DocumentFilter {
  status?: DocumentStatus | undefined;
  /** A part of the title. */
  title?: string | undefined;
  externalId?: string | undefined;
}

/** Documents of a workspace, newest first. An absent filter selects all of them. */
export function listDocuments(
  executor: Executor,
  workspaceId: string,
  { status, title, externalId }: DocumentFilter,
  after: Position | null,
  count: number,
): Promise<(DocumentWithVersions & { position: Position })[]> {
  const query = withVersions(executor).where({
    workspaceId,
    ...(externalId !== undefined && { externalId }),
  });
  if (status !== undefined) query.andWhere('newest.status = :status', { status });
  if (title !== undefined)
    query.andWhere('newest.title ILIKE :title', { title: `%${title.replace(/[%_\\]/g, '\\$&')}%` });
  return readNewestFirst(query, 'createdAt', after, count);
}

export async function hasExternalIds(executor: Executor, workspaceId: string): Promise<boolean> {
  const found = await executor.repository(MemoDocument).findOne({
    select: { id: true },
    where: { workspaceId, externalId: Not(IsNull()) },
    // Makes the planner use the index; otherwise it scans the table.
    order: { externalId: 'ASC' },
  });
  return found !== null;
}

/** Locks a document by its id or its `external_id`. Null if the workspace has no such document. */
export function lockDocument(
  transaction: Transaction,
  workspaceId: string,
  key: { id: string } | { externalId: string },
): Promise<MemoDocument | null> {
  return transaction
    .repository(MemoDocument)
    .findOne({ where: { workspaceId, ...key }, lock: { mode: 'pessimistic_write' } });
}

/**
 * Locks a document and the one that has the `external_id`, in the order of ids. Two requests that exchange the
 * external_ids of two documents would otherwise deadlock.
 */
export function lockDocumentAndHolder(
  transaction: Transaction,
  workspaceId: string,
  id: string,
  externalId: string | null,
): Promise<MemoDocument[]> {
  const holder = externalId === null ? [] : [{ workspaceId, externalId }];
  return transaction.repository(MemoDocument).find({
    where: [{ workspaceId, id }, ...holder],
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_write' },
  });
}

/** Locks documents against changes until the transaction ends, and returns their serving versions. */
export function lockServingVersions(
  transaction: Transaction,
  workspaceId: string,
  ids: string[],
): Promise<Pick<MemoDocument, 'id' | 'servingVersion'>[]> {
  return transaction.repository(MemoDocument).find({
    select: { id: true, servingVersion: true },
    where: { workspaceId, id: In(ids) },
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_read' },
  });
}

/** @param externalId null keeps the `external_id` that the document has */
export async function advanceVersion(
  transaction: Transaction,
  id: string,
  version: number,
  externalId: string | null,
): Promise<void> {
  await transaction.repository(MemoDocument).update(
    { id },
    {
      version,
      ...(externalId !== null && { externalId }),
      updatedAt: () => 'clock_timestamp()',
    },
  );
}

export async function deleteDocument(transaction: Transaction, id: string): Promise<void> {
  await transaction.repository(MemoDocument).delete({ id });
}

export async function deleteDocuments(transaction: Transaction, workspaceId: string): Promise<void> {
  await transaction.repository(MemoDocument).delete({ workspaceId });
}

function withVersions(executor: Executor): SelectQueryBuilder<DocumentWithVersions> {
  const isVersion = (alias: string, property: string) =>
    `${alias}.documentId = document.id AND ${alias}.version = document.${property}`;
  const query = executor
    .repository(MemoDocument)
    .createQueryBuilder('document')
    .innerJoinAndMapOne('document.newest', DocumentVersion, 'newest', isVersion('newest', 'version'))
    .leftJoinAndMapOne('document.serving', DocumentVersion, 'serving', isVersion('serving', 'servingVersion'))
    .select([
      ...['document', 'newest', 'serving.documentId', 'serving.version', 'serving.chunkCount'],
      ...['serving.mediaType', 'serving.bytes', 'serving.uploadId', 'serving.omissions'],
    ]);
  return query as SelectQueryBuilder<DocumentWithVersions>;
}
