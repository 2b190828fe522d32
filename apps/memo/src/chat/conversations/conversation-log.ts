import { Injectable, NotFoundException } from '@nestjs/common';
import { Database, newId, type Sql } from '@inference/database';
import { type Member } from '../../access/member';
import { requireRole } from '../../access/role-check';
import { type Citation } from '../citations/citation';
import { checkCitations } from '../citations/citation-check';
import { type Exchange } from '../answers/prompt-messages';
import { type Answer, type ConversationRef } from './conversation';

/**
 * How much of a conversation is part of the prompt: about 2,000 tokens. Twice as much doubles the cost of each
 * follow-up question; half often omits the exchange that a question refers to.
 */
const MAX_HISTORY_EXCHANGES = 4;
const MAX_HISTORY_CHARACTERS = 8_000;
/** Longest title of a conversation, in code points. */
const TITLE_CHARS = 100;

/** A key reads only the conversations that it has written; a session reads all conversations of its account. */
export const OWNED = 'workspace_id = $1 AND account_id = $2 AND ($3::text IS NULL OR key_id = $3)';
export const ownerOf = ({ workspaceId, accountId, keyId }: Member) => [workspaceId, accountId, keyId];

const FIND = `SELECT FROM memo.conversations WHERE ${OWNED} AND id = $4`;
const READ_EXCHANGES = `
  SELECT q.content AS question, a.content AS answer
  FROM memo.messages a JOIN memo.messages q ON q.conversation_id = a.conversation_id AND q.n = a.n - 1
  WHERE a.conversation_id = $1 AND a.role = 'assistant' AND a.status = 'completed' AND q.role = 'user'
  ORDER BY a.n DESC LIMIT ${MAX_HISTORY_EXCHANGES}`;
const INSERT = `
  INSERT INTO memo.conversations (id, workspace_id, account_id, key_id, title) VALUES ($4, $1, $2, $3, $5)`;
const NEXT = `
  UPDATE memo.conversations SET last_message = last_message + 2, updated_at = clock_timestamp()
  WHERE ${OWNED} AND id = $4 RETURNING last_message - 1 AS n`;
const INSERT_MESSAGE = `
  INSERT INTO memo.messages (id, conversation_id, n, role, content, status, model) VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const INSERT_CITATIONS = `
  INSERT INTO memo.citations (message_id, number, document_id, version, title, chunk_index, start_at, end_at, snippet)
  SELECT $1, u.* FROM unnest($2::integer[], $3::text[], $4::integer[], $5::text[], $6::integer[], $7::integer[], $8::integer[],
    $9::text[]) AS u`;

export const conversationNotFound = () => new NotFoundException('no such conversation');

/** Stores questions and answers. */
@Injectable()
export class ConversationLog {
  constructor(private readonly database: Database) {}

  /**
   * The last exchanges of a conversation, oldest first. Throws 404 if the conversation does not belong to the caller.
   */
  async readExchanges(member: Member, conversationId: string): Promise<Exchange[]> {
    const { rowCount } = await this.database.query(FIND, [...ownerOf(member), conversationId]);
    if (rowCount === 0) throw conversationNotFound();
    const { rows } = await this.database.query<Exchange>(READ_EXCHANGES, [conversationId]);
    let characters = 0;
    return rows
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
    await this.database.transaction(async (sql) => {
      const citations = await checkCitations(sql, member.workspaceId, answer.citations);
      // A caller who lost access while the answer was written receives no citations.
      await requireRole(sql, member, 'viewer');
      const owned = [...ownerOf(member), id];
      if (isNew) await sql.query(INSERT, [...owned, [...question].slice(0, TITLE_CHARS).join('')]);
      const { rows } = await sql.query<{ n: number }>(NEXT, owned);
      // If the conversation was deleted meanwhile, nothing is stored, and the client still receives the answer.
      if (rows[0]) await insertExchange(sql, id, rows[0].n, question, { ...answer, citations });
      send(citations);
    });
  }
}

async function insertExchange(
  sql: Sql,
  conversationId: string,
  n: number,
  question: string,
  { id: messageId, content, status, model, citations }: Answer,
): Promise<void> {
  await sql.query(INSERT_MESSAGE, [newId('msg'), conversationId, n, 'user', question, 'completed', null]);
  await sql.query(INSERT_MESSAGE, [messageId, conversationId, n + 1, 'assistant', content, status, model]);
  if (citations.length === 0) return;
  const column = <T>(pick: (citation: Citation) => T) => citations.map(pick);
  await sql.query(INSERT_CITATIONS, [
    messageId,
    column(({ number }) => number),
    column(({ documentId }) => documentId),
    column(({ version }) => version),
    column(({ title }) => title),
    column(({ chunkIndex }) => chunkIndex),
    column(({ start }) => start),
    column(({ end }) => end),
    column(({ snippet }) => snippet),
  ]);
}
