import { ConflictException } from '@nestjs/common';
import { type Sql } from '@inference/database';
import { type MemoConfig } from '../config';

/** What a workspace holds, or how much more that becomes; bytes are those of newest versions, as they were uploaded. */
interface Holdings {
  documents: number;
  bytes: number;
}

export type Limits = Pick<MemoConfig, 'MAX_WORKSPACE_DOCUMENTS' | 'MAX_WORKSPACE_BYTES'>;

const SUM = 'coalesce(sum(documents), 0)::float8 AS documents, coalesce(sum(bytes), 0)::float8 AS bytes';
const READ = `SELECT ${SUM} FROM memo.holdings WHERE workspace_id = $1`;
/** In the order of its index, which would else be passed over for reading the table until there is one. */
const HAS_EXTERNAL_IDS = `
  SELECT FROM memo.documents WHERE workspace_id = $1 AND external_id IS NOT NULL
  ORDER BY external_id LIMIT 1`;
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('memo.holdings:' || $1, 0))";
const ADD = `
  WITH rows AS (DELETE FROM memo.holdings WHERE workspace_id = $1 RETURNING documents, bytes),
    held AS (SELECT ${SUM} FROM rows)
  INSERT INTO memo.holdings (workspace_id, documents, bytes) SELECT $1, documents + $2, bytes + $3 FROM held
  RETURNING documents, bytes::float8`;
const SUBTRACT = `
  INSERT INTO memo.holdings (workspace_id, documents, bytes)
  SELECT v.workspace_id, -1, -v.bytes FROM memo.documents d
  JOIN memo.document_versions v ON v.document_id = d.id AND v.version = d.version WHERE d.id = $1`;

/** 409 for an upload that the workspace has no room for, before it is read. */
export async function foreseeGrowth(
  sql: Sql,
  limits: Limits,
  workspaceId: string,
  growth: Holdings,
): Promise<void> {
  const { documents, bytes } = (await sql.query<Holdings>(READ, [workspaceId])).rows[0]!;
  const then = { documents: documents + growth.documents, bytes: bytes + growth.bytes };
  requireRoom(limits, then, growth);
}

/** The same of one that may have the external_id of a document and take its place, which only its end tells. */
export async function foreseeDocument(
  sql: Sql,
  limits: Limits,
  workspaceId: string,
  bytes: number,
): Promise<void> {
  const { rowCount } = await sql.query(HAS_EXTERNAL_IDS, [workspaceId]);
  if (!rowCount) await foreseeGrowth(sql, limits, workspaceId, { documents: 1, bytes });
}

/**
 * The last of a transaction that adds to a workspace: from there to its end the other uploads to it wait, and it waits for
 * nobody who waits for it. 409 when the workspace would hold too much.
 */
export async function addHoldings(
  sql: Sql,
  limits: Limits,
  workspaceId: string,
  growth: Holdings,
): Promise<void> {
  await sql.query(LOCK, [workspaceId]);
  const { rows } = await sql.query<Holdings>(ADD, [workspaceId, growth.documents, growth.bytes]);
  requireRoom(limits, rows[0]!, growth);
}

/** To be called while the document that is deleted, and its newest version, are still there. */
export async function subtractHoldings(sql: Sql, documentId: string): Promise<void> {
  await sql.query(SUBTRACT, [documentId]);
}

/** What makes it smaller is taken also where there is too much, as when the limit was lowered. */
function requireRoom(
  { MAX_WORKSPACE_DOCUMENTS: mostDocuments, MAX_WORKSPACE_BYTES: mostBytes }: Limits,
  then: Holdings,
  growth: Holdings,
): void {
  if (growth.documents > 0 && then.documents > mostDocuments)
    throw new ConflictException(`this workspace holds ${mostDocuments} documents at most; delete some first`);
  if (growth.bytes > 0 && then.bytes > mostBytes)
    throw new ConflictException(
      `this workspace holds ${mostBytes} bytes of documents at most; delete some first`,
    );
}
