import { Injectable, NotFoundException } from '@nestjs/common';
import { Database, newId, type Transaction } from '@inference/database';
import { type Member } from '../../access/member';
import { requireRole } from '../../access/role-check';
import { type MessageStatus, type UsedPassage } from '../../tables/conversation.entity';
import { type Citation } from '../citations/citation';
import { checkCitations } from '../citations/citation-check';
import { type Exchange } from '../answers/prompt-messages';
import { insertCitations } from '../citations/citations.repository';
import {
  conversationExists,
  insertConversation,
  insertMessages,
  readExchanges,
  reserveExchange,
} from './conversations.repository';

export interface ConversationRef {
  id: string;
  /** The conversation is created with its first exchange. */
  isNew: boolean;
}

/** An answer that has ended. */
export interface Answer {
  id: string;
  content: string;
  status: MessageStatus;
  model: string | null;
  citations: Citation[];
  /** Calls of models that it cost. */
  requestIds: string[];
  /** The passage with number 1 first. */
  passages: UsedPassage[];
  /** The sentences of `content` that nothing supports. */
  unsupported: { start: number; end: number }[];
}

/**
 * How much of a conversation is part of the prompt: about 2,000 tokens. Twice as much doubles the cost of each
 * follow-up question; half often omits the exchange that a question refers to.
 */
const MAX_HISTORY_EXCHANGES = 4;
const MAX_HISTORY_CHARACTERS = 8_000;
/** Longest title of a conversation, in code points. */
const TITLE_CHARS = 100;

export const conversationNotFound = () => new NotFoundException('no such conversation');

/** Stores questions and answers. */
@Injectable()
export class ConversationLog {
  constructor(private readonly database: Database) {}

  /**
   * The last exchanges of a conversation, oldest first. Throws 404 if the conversation does not belong to the caller.
   */
  async readExchanges(member: Member, conversationId: string): Promise<Exchange[]> {
    if (!(await conversationExists(this.database, member, conversationId))) throw conversationNotFound();
    const exchanges = await readExchanges(this.database, conversationId, MAX_HISTORY_EXCHANGES);
    let characters = 0;
    return exchanges
      .filter(
        ({ question, answer }) => (characters += question.length + answer.length) <= MAX_HISTORY_CHARACTERS,
      )
      .reverse();
  }

  /**
   * Stores an exchange that has ended, in an existing conversation or a new one (`isNew`). Drops citations of
   * versions that are no longer served. `send` receives the remaining citations while their documents are locked, so
   * a request that deletes one of them completes only after the citation was sent.
   */
  async write(
    member: Member,
    { id, isNew }: ConversationRef,
    question: string,
    answer: Answer,
    send: (citations: Citation[]) => void,
  ): Promise<void> {
    const { workspaceId, accountId, keyId } = member;
    await this.database.transaction(async (transaction) => {
      const citations = await checkCitations(transaction, workspaceId, answer.citations);
      // A caller who lost access while the answer was written receives no citations.
      await requireRole(transaction, member, 'viewer');
      const title = [...question].slice(0, TITLE_CHARS).join('');
      if (isNew) await insertConversation(transaction, { id, workspaceId, accountId, keyId, title });
      const n = await reserveExchange(transaction, member, id);
      // If the conversation was deleted meanwhile, nothing is stored, and the client still receives the answer.
      if (n !== null) await insertExchange(transaction, id, n, question, { ...answer, citations });
      send(citations);
    });
  }
}

async function insertExchange(
  transaction: Transaction,
  conversationId: string,
  n: number,
  question: string,
  { citations, ...answer }: Answer,
): Promise<void> {
  await insertMessages(transaction, [
    {
      id: newId('msg'),
      conversationId,
      n,
      role: 'user',
      content: question,
      status: 'completed',
      model: null,
      requestIds: [],
      passages: [],
      unsupported: [],
    },
    { ...answer, conversationId, n: n + 1, role: 'assistant' },
  ]);
  if (citations.length > 0) await insertCitations(transaction, answer.id, citations);
}
