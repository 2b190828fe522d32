import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { type PageQuery, type Position, readPage } from '@inference/http';
import { type Member } from '../../access/member';
import { lockRole } from '../../access/role-check';
import { conversationNotFound, OWNED, ownerOf } from './conversation-log';
import {
  type ConversationListResponse,
  type ConversationMessagesResponse,
  type ConversationResponse,
  type MessageResponse,
  type MessagesQuery,
} from './conversation.dto';

interface ConversationRow {
  id: string;
  title: string;
  created_at: Date;
  updated_at: Date;
}

type MessageRow = Omit<MessageResponse, 'created_at'> & { created_at: Date };

const COLUMNS = 'id, title, created_at, updated_at';
const LIST = `
  SELECT ${COLUMNS}, json_build_object('at', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'id', id) AS position
  FROM memo.conversations WHERE ${OWNED} AND ($4::timestamptz IS NULL OR (created_at, id) < ($4, $5))
  ORDER BY created_at DESC, id DESC LIMIT $6`;
const FIND = `SELECT ${COLUMNS} FROM memo.conversations WHERE ${OWNED} AND id = $4`;
const READ_MESSAGES = `
  SELECT m.id, m.n, m.role, m.content, m.status, m.model, m.created_at, coalesce((
    SELECT json_agg(json_build_object('number', c.number, 'document_id', c.document_id, 'title', c.title, 'version', c.version,
      'chunk_index', c.chunk_index, 'start', c.start_at, 'end', c.end_at, 'snippet', c.snippet) ORDER BY c.number)
    FROM memo.citations c WHERE c.message_id = m.id), '[]') AS citations
  FROM memo.messages m WHERE m.conversation_id = $1 AND m.n > $2 ORDER BY m.n LIMIT $3`;
const LOCK = `SELECT FROM memo.conversations WHERE ${OWNED} AND id = $4 FOR UPDATE`;
/** In the same order as the deletion of a document. */
const LOCK_CITATIONS = `
  SELECT FROM memo.citations WHERE message_id IN (SELECT id FROM memo.messages WHERE conversation_id = $1)
  ORDER BY message_id, number FOR UPDATE`;
const DELETE = 'DELETE FROM memo.conversations WHERE id = $1';

/** Reads and deletes the conversations of a member. */
@Injectable()
export class ConversationsService {
  constructor(private readonly database: Database) {}

  async list(member: Member, query: PageQuery): Promise<ConversationListResponse> {
    const read = async (after: Position | null, count: number) => {
      const values = [...ownerOf(member), after?.at ?? null, after?.id ?? null, count];
      return (await this.database.query<ConversationRow & { position: Position }>(LIST, values)).rows;
    };
    const { rows, nextCursor } = await readPage(`conversations:${ownerOf(member).join(':')}`, query, read);
    return { conversations: rows.map(responseOf), next_cursor: nextCursor };
  }

  /** The conversation with a page of its messages, oldest first. `has_more` tells whether messages follow. */
  async find(
    member: Member,
    id: string,
    { after, limit }: MessagesQuery,
  ): Promise<ConversationMessagesResponse> {
    const found = await this.database.query<ConversationRow>(FIND, [...ownerOf(member), id]);
    if (!found.rows[0]) throw conversationNotFound();
    const { rows } = await this.database.query<MessageRow>(READ_MESSAGES, [id, after, limit + 1]);
    const messages = rows.slice(0, limit).map(({ created_at: at, ...message }) => ({
      ...message,
      created_at: at.toISOString(),
    }));
    return { ...responseOf(found.rows[0]), messages, has_more: rows.length > limit };
  }

  async remove(member: Member, id: string): Promise<void> {
    await this.database.transaction(async (sql) => {
      await lockRole(sql, member, 'viewer');
      const found = await sql.query(LOCK, [...ownerOf(member), id]);
      if (found.rowCount === 0) throw conversationNotFound();
      await sql.query(LOCK_CITATIONS, [id]);
      await sql.query(DELETE, [id]);
    });
  }
}

const responseOf = ({
  id,
  title,
  created_at: at,
  updated_at: updatedAt,
}: ConversationRow): ConversationResponse => ({
  id,
  title,
  created_at: at.toISOString(),
  updated_at: updatedAt.toISOString(),
});
