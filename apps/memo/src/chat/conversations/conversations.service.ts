import { Injectable, NotFoundException } from '@nestjs/common';
import { Database } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { type Member } from '../../access/member';
import { lockRole } from '../../access/role-check';
import { resultOf } from '../../retrieval/search/search.dto';
import { type Citation } from '../citations/citation';
import { lockCitationsOfConversation } from '../citations/citations.repository';
import { conversationNotFound } from './conversation-log';
import {
  type AnswerPassageResponse,
  type AnswerPassagesResponse,
  type CitationResponse,
  type ConversationListResponse,
  type ConversationMessagesResponse,
  type ConversationResponse,
  type MessageResponse,
  type MessagesQuery,
} from './conversation.dto';
import { type Conversation } from '../../tables/conversation.entity';
import {
  type AnswerPassage,
  conversationExists,
  deleteConversation,
  findConversation,
  listConversations,
  listMessages,
  listPassages,
  lockConversation,
  messageExists,
  type MessageWithCitations,
} from './conversations.repository';

/** Reads and deletes the conversations of a member. */
@Injectable()
export class ConversationsService {
  constructor(private readonly database: Database) {}

  async list(member: Member, query: PageQuery): Promise<ConversationListResponse> {
    const { workspaceId, accountId, keyId } = member;
    const list = `conversations:${workspaceId}:${accountId}:${keyId ?? ''}`;
    const { rows, nextCursor } = await readPage(list, query, (after, count) =>
      listConversations(this.database, member, after, count),
    );
    return { conversations: rows.map(responseOf), next_cursor: nextCursor };
  }

  /** The conversation with a page of its messages, oldest first. `has_more` tells whether messages follow. */
  async find(
    member: Member,
    id: string,
    { after, limit }: MessagesQuery,
  ): Promise<ConversationMessagesResponse> {
    const conversation = await findConversation(this.database, member, id);
    if (!conversation) throw conversationNotFound();
    const found = await listMessages(this.database, id, after, limit + 1);
    const messages = found.slice(0, limit).map(messageOf);
    return { ...responseOf(conversation), messages, has_more: found.length > limit };
  }

  /** The passages from which an answer was written, as far as their versions are still served. */
  async passages(member: Member, conversationId: string, messageId: string): Promise<AnswerPassagesResponse> {
    if (!(await conversationExists(this.database, member, conversationId))) throw conversationNotFound();
    if (!(await messageExists(this.database, conversationId, messageId)))
      throw new NotFoundException('no such message');
    return { passages: (await listPassages(this.database, messageId)).map(passageOf) };
  }

  async remove(member: Member, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await lockRole(transaction, member, 'viewer');
      if (!(await lockConversation(transaction, member, id))) throw conversationNotFound();
      await lockCitationsOfConversation(transaction, id);
      await deleteConversation(transaction, id);
    });
  }
}

const responseOf = ({ id, title, createdAt, updatedAt }: Conversation): ConversationResponse => ({
  id,
  title,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
});

const messageOf = ({
  createdAt,
  citations,
  requestIds,
  rating,
  comment,
  ratedAt,
  ...message
}: MessageWithCitations): MessageResponse => ({
  ...message,
  request_ids: requestIds,
  citations: citations.map(citationOf),
  feedback: rating && { rating, comment: comment ?? '', created_at: ratedAt!.toISOString() },
  created_at: createdAt.toISOString(),
});

const passageOf = ({ number, ...passage }: AnswerPassage): AnswerPassageResponse => ({
  number,
  ...resultOf(passage),
});

const citationOf = ({ documentId, chunkIndex, ...citation }: Citation): CitationResponse => ({
  ...citation,
  document_id: documentId,
  chunk_index: chunkIndex,
});
