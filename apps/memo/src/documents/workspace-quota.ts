import { ConflictException } from '@nestjs/common';
import { type Sql } from '@inference/database';
import { type WorkspaceLimits } from './documents.config';

/** The usage of a workspace, or a change of it. Bytes are the uploaded sizes of the newest versions. */
interface WorkspaceUsage {
  documents: number;
  bytes: number;
}

const SUM = 'coalesce(sum(documents), 0)::float8 AS documents, coalesce(sum(bytes), 0)::float8 AS bytes';
const READ = `SELECT ${SUM} FROM memo.workspace_usage WHERE workspace_id = $1`;
/** ORDER BY makes the planner use the index; otherwise it scans the table. */
const HAS_EXTERNAL_IDS = `
  SELECT FROM memo.documents WHERE workspace_id = $1 AND external_id IS NOT NULL
  ORDER BY external_id LIMIT 1`;
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('memo.workspace_usage:' || $1, 0))";
const ADD = `
  WITH rows AS (DELETE FROM memo.workspace_usage WHERE workspace_id = $1 RETURNING documents, bytes),
    usage AS (SELECT ${SUM} FROM rows)
  INSERT INTO memo.workspace_usage (workspace_id, documents, bytes) SELECT $1, documents + $2, bytes + $3 FROM usage
  RETURNING documents, bytes::float8`;
const SUBTRACT = `
  INSERT INTO memo.workspace_usage (workspace_id, documents, bytes)
  SELECT v.workspace_id, -1, -v.bytes FROM memo.documents d
  JOIN memo.document_versions v ON v.document_id = d.id AND v.version = d.version WHERE d.id = $1`;

/** Throws 409, before the upload is read, if the workspace has no room for it. */
export async function checkRoomForGrowth(
  sql: Sql,
  limits: WorkspaceLimits,
  workspaceId: string,
  growth: WorkspaceUsage,
): Promise<void> {
  const { documents, bytes } = (await sql.query<WorkspaceUsage>(READ, [workspaceId])).rows[0]!;
  const then = { documents: documents + growth.documents, bytes: bytes + growth.bytes };
  requireWithinLimits(limits, then, growth);
}

/**
 * Throws 409, before the upload is read, if the workspace has no room for a new document. Checks nothing if any
 * document has an external_id: the upload may replace that document, which is known only after the upload.
 */
export async function checkRoomForDocument(
  sql: Sql,
  limits: WorkspaceLimits,
  workspaceId: string,
  bytes: number,
): Promise<void> {
  const { rowCount } = await sql.query(HAS_EXTERNAL_IDS, [workspaceId]);
  if (!rowCount) await checkRoomForGrowth(sql, limits, workspaceId, { documents: 1, bytes });
}

/**
 * Counts an addition to a workspace. Takes the workspace's advisory lock, so other uploads to the workspace wait until the
 * transaction ends. Call it last: then the transaction needs no other lock while it holds this one. Throws 409 if the
 * workspace exceeds its limits.
 */
export async function recordGrowth(
  sql: Sql,
  limits: WorkspaceLimits,
  workspaceId: string,
  growth: WorkspaceUsage,
): Promise<void> {
  await sql.query(LOCK, [workspaceId]);
  const { rows } = await sql.query<WorkspaceUsage>(ADD, [workspaceId, growth.documents, growth.bytes]);
  requireWithinLimits(limits, rows[0]!, growth);
}

/** Call this while the document that is deleted and its newest version still exist. */
export async function recordDeletion(sql: Sql, documentId: string): Promise<void> {
  await sql.query(SUBTRACT, [documentId]);
}

/** A change that reduces the usage is accepted even above the limit, which may have been lowered. */
function requireWithinLimits(
  { maxDocuments, maxBytes }: WorkspaceLimits,
  then: WorkspaceUsage,
  growth: WorkspaceUsage,
): void {
  if (growth.documents > 0 && then.documents > maxDocuments)
    throw new ConflictException(`this workspace holds ${maxDocuments} documents at most; delete some first`);
  if (growth.bytes > 0 && then.bytes > maxBytes)
    throw new ConflictException(
      `this workspace holds ${maxBytes} bytes of documents at most; delete some first`,
    );
}
