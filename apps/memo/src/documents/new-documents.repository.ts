import { type Transaction } from '@inference/database';
import { DocumentVersion } from '../tables/document-version.entity';
import { MemoDocument } from '../tables/document.entity';
import { type DocumentWithVersions } from './documents.repository';

/**
 * One statement for any number of documents. In the order of external ids, so that two transactions that insert the same ones
 * wait for each other in the same order. A document whose external id is taken is left out, with its version and its file.
 */
const INSERT = {
  name: 'documents-insert',
  text: `
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bytea[], $10::text[],
        $11::bytea[]) AS u(id, external_id, title, metadata, media_type, bytes, sha256, upload_id, content)),
    document AS (
      INSERT INTO memo.documents (id, workspace_id, external_id, version, created_by)
      SELECT id, $1, external_id, 1, $2 FROM given ORDER BY external_id, id
      ON CONFLICT (workspace_id, external_id) DO NOTHING
      RETURNING id, created_at, updated_at),
    version AS (
      INSERT INTO memo.document_versions (document_id, version, workspace_id, title, metadata, media_type, bytes, sha256,
        upload_id, uploaded_by, status)
      SELECT id, 1, $1, title, metadata::json, media_type, bytes, sha256, upload_id, $2, 'queued'
      FROM given JOIN document USING (id)),
    part AS (
      INSERT INTO memo.source_parts (upload_id, n, bytes)
      SELECT upload_id, 0, content FROM given JOIN document USING (id) WHERE content IS NOT NULL)
    SELECT id, created_at AS "createdAt", updated_at AS "updatedAt" FROM document`,
};

export type NewDocument = Pick<MemoDocument, 'id' | 'externalId'> &
  Pick<DocumentVersion, 'title' | 'metadata' | 'mediaType' | 'sha256'> & {
    bytes: number;
    uploadId: string;
    /** The file, if its parts are not stored yet. */
    content: Buffer | null;
  };

/** Inserts documents with their first versions. Returns those whose external ids were free. */
export async function insertNewDocuments(
  transaction: Transaction,
  { workspaceId, accountId }: { workspaceId: string; accountId: string },
  documents: readonly NewDocument[],
): Promise<Map<string, Pick<MemoDocument, 'createdAt' | 'updatedAt'>>> {
  const values = [
    workspaceId,
    accountId,
    documents.map(({ id }) => id),
    documents.map(({ externalId }) => externalId),
    documents.map(({ title }) => title),
    documents.map(({ metadata }) => JSON.stringify(metadata)),
    documents.map(({ mediaType }) => mediaType),
    documents.map(({ bytes }) => bytes),
    documents.map(({ sha256 }) => sha256),
    documents.map(({ uploadId }) => uploadId),
    documents.map(({ content }) => content),
  ];
  type Row = Pick<MemoDocument, 'id' | 'createdAt' | 'updatedAt'>;
  const { rows } = await transaction.query<Row>({ ...INSERT, values });
  return new Map(rows.map(({ id, ...times }) => [id, times]));
}

/** A document as it was inserted. */
export function newDocument(
  { workspaceId, accountId }: { workspaceId: string; accountId: string },
  document: NewDocument & Pick<MemoDocument, 'createdAt' | 'updatedAt'>,
): DocumentWithVersions {
  const { id, externalId, createdAt, updatedAt, title, metadata, mediaType, sha256, uploadId } = document;
  const newest = Object.assign(new DocumentVersion(), {
    ...{
      documentId: id,
      version: 1,
      workspaceId,
      title,
      metadata,
      mediaType,
      sha256,
      uploadId,
      status: 'queued',
    },
    ...{ bytes: BigInt(document.bytes), uploadedBy: accountId, processed: 0n, total: null },
    ...{ errorCode: null, errorMessage: null },
  });
  return Object.assign(new MemoDocument(), {
    ...{
      id,
      workspaceId,
      externalId,
      version: 1,
      servingVersion: null,
      createdBy: accountId,
      createdAt,
      updatedAt,
    },
    ...{ newest, serving: null },
  });
}
