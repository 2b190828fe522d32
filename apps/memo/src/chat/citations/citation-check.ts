import { type Sql } from '@inference/database';
import { type Citation } from './citation';

const LOCK_DOCUMENTS = `
  SELECT id, serving_version AS version FROM memo.documents WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id FOR SHARE`;

/**
 * Returns the citations whose document still serves the cited version, and locks these documents, so that they stay
 * as they are until the transaction ends.
 */
export async function checkCitations(
  sql: Sql,
  workspaceId: string,
  citations: Citation[],
): Promise<Citation[]> {
  if (citations.length === 0) return [];
  const ids = [...new Set(citations.map(({ documentId }) => documentId))];
  const { rows } = await sql.query<{ id: string; version: number }>(LOCK_DOCUMENTS, [workspaceId, ids]);
  const served = new Map(rows.map(({ id, version }) => [id, version]));
  return citations.filter(({ documentId, version }) => served.get(documentId) === version);
}
