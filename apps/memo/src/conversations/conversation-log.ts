import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { inTransaction, newId, SQL_POOL, type Sql, type SqlPool } from '@inference/database';
import { type Member } from '../access/member';
import { findRole } from '../access/roles';
import { type Citation } from '../answers/citation';
import { type Exchange } from '../answers/prompt';
import { type Answer, type ConversationRef } from './conversation';

/** What a model is told of a conversation: so many exchanges, and so much of them. */
const EXCHANGES_TOLD = 4;
const CHARACTERS_TOLD = 8_000;
const TITLE_CHARS = 100;

/** A key sees only what was said with it, a session all that is its account's. */
export const OWN = 'workspace_id = $1 AND account_id = $2 AND ($3::text IS NULL OR key_id = $3)';
export const ownerOf = ({ workspaceId, accountId, keyId }: Member) => [workspaceId, accountId, keyId];

const FIND = `SELECT FROM memo.conversations WHERE ${OWN} AND id = $4`;
const READ_EXCHANGES = `
  SELECT q.content AS question, a.content AS answer
  FROM memo.messages a JOIN memo.messages q ON q.conversation_id = a.conversation_id AND q.n = a.n - 1
  WHERE a.conversation_id = $1 AND a.role = 'assistant' AND a.status = 'completed' AND q.role = 'user'
  ORDER BY a.n DESC LIMIT ${EXCHANGES_TOLD}`;
const INSERT = `
  INSERT INTO memo.conversations (id, workspace_id, account_id, key_id, title) VALUES ($4, $1, $2, $3, $5)`;
const NEXT = `
  UPDATE memo.conversations SET last_message = last_message + 2, updated_at = clock_timestamp()
  WHERE ${OWN} AND id = $4 RETURNING last_message - 1 AS n`;
const INSERT_MESSAGE = `
  INSERT INTO memo.messages (id, conversation_id, n, role, content, status, model) VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const LOCK_DOCUMENTS = `
  SELECT id, serving_version AS version FROM memo.documents WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id FOR SHARE`;
const INSERT_CITATIONS = `
  INSERT INTO memo.citations (message_id, number, document_id, version, title, chunk_index, start_at, end_at, snippet)
  SELECT $1, u.* FROM unnest($2::integer[], $3::text[], $4::integer[], $5::text[], $6::integer[], $7::integer[], $8::integer[],
    $9::text[]) AS u`;

export const noSuchConversation = () => new NotFoundException('there is no such conversation');

/** Writes down what was asked and answered. */
@Injectable()
export class ConversationLog {
  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  /** The last exchanges of a conversation, oldest first; 404 for one that is not the caller's. */
  async readExchanges(member: Member, conversationId: string): Promise<Exchange[]> {
    const { rowCount } = await this.pool.query(FIND, [...ownerOf(member), conversationId]);
    if (rowCount === 0) throw noSuchConversation();
    const { rows } = await this.pool.query<Exchange>(READ_EXCHANGES, [conversationId]);
    let characters = 0;
    return rows
      .filter(({ question, answer }) => (characters += question.length + answer.length) <= CHARACTERS_TOLD)
      .reverse();
  }

  /**
   * Writes an exchange that has ended, in a conversation that is there or begins with it (`isNew`). Cites only what is served at
   * that moment: `send` gets the rest of the citations while their documents are locked, so that who deletes one of them
   * hears of its end no sooner than the reader hears of the citation.
   */
  async write(
    member: Member,
    { id, isNew }: ConversationRef,
    question: string,
    answer: Answer,
    send: (citations: Citation[]) => void,
  ): Promise<void> {
    await inTransaction(this.pool, async (sql) => {
      const citations = await lockCited(sql, member.workspaceId, answer.citations);
      // Whoever may not ask any more is told nothing more.
      await findRole(sql, member, 'viewer');
      const owned = [...ownerOf(member), id];
      if (isNew) await sql.query(INSERT, [...owned, [...question].slice(0, TITLE_CHARS).join('')]);
      const { rows } = await sql.query<{ n: number }>(NEXT, owned);
      // Deleted meanwhile: nothing is kept, and the reader gets his answer all the same.
      if (rows[0]) await insertExchange(sql, id, rows[0].n, question, { ...answer, citations });
      send(citations);
    });
  }
}

async function lockCited(sql: Sql, workspaceId: string, citations: Citation[]): Promise<Citation[]> {
  if (citations.length === 0) return [];
  const ids = [...new Set(citations.map(({ documentId }) => documentId))];
  const { rows } = await sql.query<{ id: string; version: number }>(LOCK_DOCUMENTS, [workspaceId, ids]);
  const served = new Map(rows.map(({ id, version }) => [id, version]));
  return citations.filter(({ documentId, version }) => served.get(documentId) === version);
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
