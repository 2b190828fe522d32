import { type Transaction } from '@inference/database';
import { lockServingVersions } from '../../documents/documents.repository';
import { type Citation } from './citation';

/**
 * Returns the citations whose document still serves the cited version, and locks these documents, so that they stay
 * as they are until the transaction ends.
 */
export async function checkCitations(
  transaction: Transaction,
  workspaceId: string,
  citations: Citation[],
): Promise<Citation[]> {
  if (citations.length === 0) return [];
  const ids = [...new Set(citations.map(({ documentId }) => documentId))];
  const documents = await lockServingVersions(transaction, workspaceId, ids);
  const served = new Map(documents.map(({ id, servingVersion }) => [id, servingVersion]));
  return citations.filter(({ documentId, version }) => served.get(documentId) === version);
}
