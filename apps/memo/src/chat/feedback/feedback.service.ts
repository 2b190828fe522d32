import { Database, type Transaction } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { Injectable, NotFoundException } from '@nestjs/common';
import { type Member } from '../../access/member';
import { lockRole } from '../../access/role-check';
import { conversationNotFound } from '../conversations/conversation-log';
import { lockConversation } from '../conversations/conversations.repository';
import {
  type AnswerFeedbackResponse,
  type FeedbackDto,
  type FeedbackListResponse,
  type FeedbackResponse,
} from './feedback.dto';
import {
  answerExists,
  countFeedback,
  deleteFeedback,
  type FeedbackWithExchange,
  listFeedback,
  storeFeedback,
} from './feedback.repository';

interface AnswerKey {
  conversationId: string;
  messageId: string;
}

/** What members think of answers. */
@Injectable()
export class FeedbackService {
  constructor(private readonly database: Database) {}

  async give(member: Member, answer: AnswerKey, { rating, comment }: FeedbackDto): Promise<FeedbackResponse> {
    const { createdAt } = await this.database.transaction(async (transaction) => {
      await lockAnswer(transaction, member, answer);
      const { messageId } = answer;
      return storeFeedback(transaction, { messageId, workspaceId: member.workspaceId, rating, comment });
    });
    return { rating, comment, created_at: createdAt.toISOString() };
  }

  async withdraw(member: Member, answer: AnswerKey): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await lockAnswer(transaction, member, answer);
      const { messageId } = answer;
      await deleteFeedback(transaction, { workspaceId: member.workspaceId, messageId });
    });
  }

  async list({ workspaceId }: Member, query: PageQuery): Promise<FeedbackListResponse> {
    const { rows, nextCursor } = await readPage(`feedback:${workspaceId}`, query, (after, count) =>
      listFeedback(this.database, workspaceId, after, count),
    );
    const counts = await countFeedback(this.database, workspaceId);
    return { ...counts, feedback: rows.map(responseOf), next_cursor: nextCursor };
  }
}

/** Keeps an answer of the caller from being deleted until the transaction ends. Throws 404 if there is no such answer. */
async function lockAnswer(
  transaction: Transaction,
  member: Member,
  { conversationId, messageId }: AnswerKey,
): Promise<void> {
  await lockRole(transaction, member, 'viewer');
  if (!(await lockConversation(transaction, member, conversationId))) throw conversationNotFound();
  if (!(await answerExists(transaction, conversationId, messageId)))
    throw new NotFoundException('no such answer');
}

const responseOf = ({
  messageId,
  accountId,
  createdAt,
  rating,
  comment,
  email,
  question,
  answer,
}: FeedbackWithExchange): AnswerFeedbackResponse => ({
  ...{ message_id: messageId, user_id: accountId, created_at: createdAt.toISOString() },
  ...{ rating, comment, email, question, answer },
});
