import { type Executor, type Transaction } from '@inference/database';

/** The usage of a workspace, or a change of it. Bytes are the uploaded sizes of the newest versions. */
export interface WorkspaceUsage {
  documents: number;
  bytes: number;
}

/** The usage is the sum of the rows. An addition merges them into one; a deletion adds a negative row without waiting. */
const SUM = 'coalesce(sum(documents), 0)::float8 AS documents, coalesce(sum(bytes), 0)::float8 AS bytes';
const READ = `SELECT ${SUM} FROM memo.workspace_usage WHERE workspace_id = $1`;
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

export async function readUsage(executor: Executor, workspaceId: string): Promise<WorkspaceUsage> {
  return (await executor.query<WorkspaceUsage>(READ, [workspaceId])).rows[0]!;
}

/** Takes the workspace's advisory lock, adds to the usage, and returns the new usage. */
export async function addUsage(
  transaction: Transaction,
  workspaceId: string,
  { documents, bytes }: WorkspaceUsage,
): Promise<WorkspaceUsage> {
  await transaction.query(LOCK, [workspaceId]);
  return (await transaction.query<WorkspaceUsage>(ADD, [workspaceId, documents, bytes])).rows[0]!;
}

/** Subtracts a document and the bytes of its newest version. Both must still exist. */
export async function subtractDocument(transaction: Transaction, documentId: string): Promise<void> {
  await transaction.query(SUBTRACT, [documentId]);
}
