import { type Executor, type Position, readNewestFirst, type Transaction } from '@inference/database';
import { type FindOptionsWhere } from 'typeorm';
import { type Member } from '../../access/member';
import { type Passage } from '../../retrieval/search/passage';
import { type Exchange } from '../answers/prompt-messages';
import { type Citation } from '../citations/citation';
import { Conversation, Message, type Rating } from '../../tables/conversation.entity';

type Owner = Omit<Member, 'role'>;

export type MessageWithCitations = Omit<Message, 'conversationId' | 'passages'> & {
  citations: Citation[];
  /** Null without feedback, like the two beside it. */
  rating: Rating | null;
  comment: string | null;
  ratedAt: Date | null;
};

/** A passage of an answer, whose version is still served. */
export type AnswerPassage = Passage & { number: number };

const READ_EXCHANGES = `
  SELECT q.content AS question, a.content AS answer
  FROM memo.messages a JOIN memo.messages q ON q.conversation_id = a.conversation_id AND q.n = a.n - 1
  WHERE a.conversation_id = $1 AND a.role = 'assistant' AND a.status = 'completed' AND q.role = 'user'
  ORDER BY a.n DESC LIMIT $2`;
const READ_MESSAGES = `
  SELECT m.id, m.n, m.role, m.content, m.status, m.model, m.request_ids AS "requestIds", m.unsupported,
    m.created_at AS "createdAt", coalesce((
    SELECT json_agg(json_build_object('number', c.number, 'documentId', c.document_id, 'title', c.title, 'version', c.version,
      'chunkIndex', c.chunk_index, 'start', c.start_at, 'end', c.end_at, 'page', c.page,
      'snippet', c.snippet) ORDER BY c.number)
    FROM memo.citations c WHERE c.message_id = m.id), '[]') AS citations,
    f.rating, f.comment, f.created_at AS "ratedAt"
  FROM memo.messages m LEFT JOIN memo.feedback f ON f.message_id = m.id
  WHERE m.conversation_id = $1 AND m.n > $2 ORDER BY m.n LIMIT $3`;

const READ_PASSAGES = `
  SELECT used.number::integer, d.id AS "documentId", d.external_id AS "externalId", v.title, v.version, c.n AS "chunkIndex",
    c.start_at AS start, used.score, c.text, '{}'::integer[] AS "pageBreaks",
    (SELECT nullif(count(*), 0)::integer FROM unnest(v.page_starts) AS starts WHERE starts <= c.start_at) AS page
  FROM memo.messages m
  CROSS JOIN LATERAL ROWS FROM (json_to_recordset(m.passages)
    AS ("documentId" text, version integer, "chunkIndex" integer, score float8)) WITH ORDINALITY
    AS used("documentId", version, "chunkIndex", score, number)
  JOIN memo.documents d ON d.id = used."documentId" AND d.serving_version = used.version
  JOIN memo.document_versions v ON v.document_id = d.id AND v.version = used.version
  JOIN memo.chunks c ON c.document_id = d.id AND c.version = used.version AND c.n = used."chunkIndex"
  WHERE m.id = $1 ORDER BY used.number`;

/** A key has only the conversations that it has started; a session has all conversations of its account. */
const ownedBy = ({ workspaceId, accountId, keyId }: Owner): FindOptionsWhere<Conversation> => ({
  workspaceId,
  accountId,
  ...(keyId !== null && { keyId }),
});

export function conversationExists(executor: Executor, owner: Owner, id: string): Promise<boolean> {
  return executor.repository(Conversation).existsBy({ ...ownedBy(owner), id });
}

/** Null if the owner has no such conversation. */
export function findConversation(executor: Executor, owner: Owner, id: string): Promise<Conversation | null> {
  return executor.repository(Conversation).findOneBy({ ...ownedBy(owner), id });
}

/** Newest first. */
export function listConversations(
  executor: Executor,
  owner: Owner,
  after: Position | null,
  count: number,
): Promise<(Conversation & { position: Position })[]> {
  const query = executor.repository(Conversation).createQueryBuilder('conversation').where(ownedBy(owner));
  return readNewestFirst(query, 'createdAt', after, count);
}

export async function insertConversation(
  transaction: Transaction,
  conversation: Pick<Conversation, 'id' | 'workspaceId' | 'accountId' | 'keyId' | 'title'>,
): Promise<void> {
  await transaction.repository(Conversation).insert(conversation);
}

/** Returns false if the owner has no such conversation. */
export async function lockConversation(transaction: Transaction, owner: Owner, id: string): Promise<boolean> {
  const found = await transaction.repository(Conversation).findOne({
    select: { id: true },
    where: { ...ownedBy(owner), id },
    lock: { mode: 'pessimistic_write' },
  });
  return found !== null;
}

/** Deletes its messages and their citations, too. */
export async function deleteConversation(transaction: Transaction, id: string): Promise<void> {
  await transaction.repository(Conversation).delete({ id });
}

/**
 * Reserves the numbers of a question and its answer, and locks the conversation. Returns the number of the question; null if
 * the owner has no such conversation.
 */
export async function reserveExchange(
  transaction: Transaction,
  owner: Owner,
  id: string,
): Promise<number | null> {
  const { raw } = await transaction
    .repository(Conversation)
    .createQueryBuilder()
    .update({ lastMessage: () => 'last_message + 2', updatedAt: () => 'clock_timestamp()' })
    .where({ ...ownedBy(owner), id })
    .returning(['lastMessage'])
    .execute();
  const [row] = raw as { last_message: number }[];
  return row ? row.last_message - 1 : null;
}

export async function insertMessages(
  transaction: Transaction,
  messages: Omit<Message, 'createdAt'>[],
): Promise<void> {
  await transaction.repository(Message).insert(messages);
}

export function messageExists(executor: Executor, conversationId: string, id: string): Promise<boolean> {
  return executor.repository(Message).existsBy({ conversationId, id });
}

/** The passages that a message was written from, by number. Those of versions that are no longer served are missing. */
export async function listPassages(executor: Executor, messageId: string): Promise<AnswerPassage[]> {
  const { rows } = await executor.query<Omit<AnswerPassage, 'end'>>(READ_PASSAGES, [messageId]);
  return rows.map((passage) => ({ ...passage, end: passage.start + passage.text.length }));
}

/** The last questions with complete answers, newest first. */
export async function readExchanges(
  executor: Executor,
  conversationId: string,
  count: number,
): Promise<Exchange[]> {
  return (await executor.query<Exchange>(READ_EXCHANGES, [conversationId, count])).rows;
}

/** Messages with a greater number than `after`, oldest first. */
export async function listMessages(
  executor: Executor,
  conversationId: string,
  after: number,
  count: number,
): Promise<MessageWithCitations[]> {
  return (await executor.query<MessageWithCitations>(READ_MESSAGES, [conversationId, after, count])).rows;
}
