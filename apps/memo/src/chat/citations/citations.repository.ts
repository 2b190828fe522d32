import { type Transaction } from '@inference/database';
import { type Citation } from './citation';
import { MessageCitation } from '../../tables/conversation.entity';

/** In the same order as `lockCitationsOfDocument`. */
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

/** Locks all citations in the messages of a conversation. */
export async function lockCitationsOfConversation(
  transaction: Transaction,
  conversationId: string,
): Promise<void> {
  await transaction.query(LOCK_BY_CONVERSATION, [conversationId]);
}
