import { type Executor } from '@inference/database';

/** Characters of a text in which its heading is looked for. */
const BEGINNING_CHARS = 400;
const READ = `
  SELECT d.id AS "documentId", v.title, left(c.text, ${BEGINNING_CHARS}) AS beginning
  FROM (
    SELECT id, serving_version, created_at FROM memo.documents
    WHERE workspace_id = $1 AND serving_version IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT $2) d
  JOIN memo.document_versions v ON v.document_id = d.id AND v.version = d.serving_version
  JOIN memo.chunks c ON c.document_id = d.id AND c.version = d.serving_version AND c.n = 0
  ORDER BY d.created_at DESC, d.id DESC`;

export interface DocumentBeginning {
  documentId: string;
  title: string;
  beginning: string;
}

/** How the newest served documents begin. */
export async function readBeginnings(
  executor: Executor,
  workspaceId: string,
  count: number,
): Promise<DocumentBeginning[]> {
  return (await executor.query<DocumentBeginning>(READ, [workspaceId, count])).rows;
}
