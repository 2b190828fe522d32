import { type Transaction } from '@inference/database';
import { type Citation } from './citation';
import { MessageCitation } from './citation.entity';

/** All deletions lock citations in the same order. */
const LOCK_BY_DOCUMENT = `
  SELECT FROM memo.citations WHERE document_id = $1 ORDER BY message_id, number FOR UPDATE`;
const LOCK_BY_CONVERSATION = `
  SELECT FROM memo.citations WHERE message_id IN (SELECT id FROM memo.messages WHERE conversation_id = $1)
  ORDER BY message_id, number FOR UPDATE`;

export async function insertCitations(
  transaction: Transaction,
  messageId: string,
  citations: Citation[],
): Promise<void> {
  await transaction
    .repository(MessageCitation)
    .insert(citations.map((citation) => ({ ...citation, messageId })));
}

/** Locks all citations of a document. */
export async function lockCitationsOfDocument(transaction: Transaction, documentId: string): Promise<void> {
  await transaction.query(LOCK_BY_DOCUMENT, [documentId]);
}

/** Locks all citations in the messages of a conversation. */
export async function lockCitationsOfConversation(
  transaction: Transaction,
  conversationId: string,
): Promise<void> {
  await transaction.query(LOCK_BY_CONVERSATION, [conversationId]);
}
