import { ConflictException, Inject, Injectable } from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { Database, newId } from '@inference/database';
import { type PageQuery, type Position, readPage } from '@inference/http';
import { MODELS_CONFIG, type ModelsConfig } from '../models/models.config';
import { deleteStreamEventsOf } from '../streams/stream-event-store';
import { notifyReplicas, TURN_DELETED } from '../streams/turn-notifications';
import { type ToolDefinition } from '../tool-calls/tool.dto';
import { readOpenTurns } from '../turns/turn';
import { cancelTurns } from '../turns/turn-outcome';
import {
  type CancelledTurnsResponse,
  type CreateSessionDto,
  type SessionDetailsResponse,
  type SessionListResponse,
  type SessionResponse,
} from './session.dto';
import { lockSession, noSuchSession } from './session-lock';

interface SessionRow {
  /** The internal id. */
  sessionId: string;
  /** The id that the caller uses. */
  id: string;
  model: string | null;
  system: string | null;
  tools: ToolDefinition[];
  metadata: Record<string, string>;
  last_seq: bigint;
  created_at: Date;
}

const COLUMNS =
  's.id AS "sessionId", s.public_id AS id, model, system, tools, metadata, last_seq, created_at';
const INSERT = `
  INSERT INTO agent.sessions AS s (id, public_id, account_id, model, system, tools, metadata)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (account_id, public_id) DO NOTHING RETURNING ${COLUMNS}`;
const FIND = `SELECT ${COLUMNS} FROM agent.sessions s WHERE public_id = $1 AND account_id = $2`;
const LIST = `
  SELECT ${COLUMNS}, json_build_object('at', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'id', s.id) AS position
  FROM agent.sessions s WHERE account_id = $1 AND ($2::timestamptz IS NULL OR (created_at, s.id) < ($2, $3))
  ORDER BY created_at DESC, s.id DESC LIMIT $4`;
const DELETE = 'DELETE FROM agent.sessions WHERE id = $1';

@Injectable()
export class SessionsService {
  constructor(
    private readonly database: Database,
    @Inject(MODELS_CONFIG) private readonly models: ModelsConfig,
  ) {}

  /** Throws 409 if a session of the account has the id. */
  async create({ accountId }: Caller, body: CreateSessionDto): Promise<SessionResponse> {
    const sessionId = newId('sess');
    const { rows } = await this.database.query<SessionRow>(INSERT, [
      sessionId,
      body.id ?? sessionId,
      accountId,
      body.model ?? null,
      body.system ?? null,
      JSON.stringify(body.tools),
      JSON.stringify(body.metadata),
    ]);
    if (!rows[0]) throw new ConflictException('id: is used by another session');
    return this.responseOf(rows[0]);
  }

  async list({ accountId }: Caller, query: PageQuery): Promise<SessionListResponse> {
    const read = async (after: Position | null, count: number) => {
      const values = [accountId, after?.at ?? null, after?.id ?? null, count];
      return (await this.database.query<SessionRow & { position: Position }>(LIST, values)).rows;
    };
    const { rows, nextCursor } = await readPage(`sessions:${accountId}`, query, read);
    return { sessions: rows.map((row) => this.responseOf(row)), next_cursor: nextCursor };
  }

  async find({ accountId }: Caller, id: string): Promise<SessionDetailsResponse> {
    const { rows } = await this.database.query<SessionRow>(FIND, [id, accountId]);
    if (!rows[0]) throw noSuchSession();
    const open = await readOpenTurns(this.database, rows[0].sessionId);
    return {
      ...this.responseOf(rows[0]),
      open_turns: open.map((turn) => ({ id: turn.id, status: turn.status })),
    };
  }

  /** Cancels the running and queued turns; events stay. */
  cancel({ accountId }: Caller, id: string): Promise<CancelledTurnsResponse> {
    return this.database.transaction(async (sql) => {
      const { sessionId } = await lockSession(sql, id, accountId);
      const turns = await readOpenTurns(sql, sessionId);
      await cancelTurns(sql, turns, 'The caller cancelled this turn.');
      return { cancelled: turns.map((turn) => turn.id) };
    });
  }

  /** Deletes a session with its turns and events, and aborts the running turn. */
  async remove({ accountId }: Caller, id: string): Promise<void> {
    await this.database.transaction(async (sql) => {
      const { sessionId } = await lockSession(sql, id, accountId);
      for (const turn of await readOpenTurns(sql, sessionId))
        await notifyReplicas(sql, TURN_DELETED, turn.id);
      await deleteStreamEventsOf(sql, sessionId);
      await sql.query(DELETE, [sessionId]);
    });
  }

  private responseOf({
    id,
    model,
    system,
    tools,
    metadata,
    last_seq: lastSeq,
    created_at: createdAt,
  }: SessionRow): SessionResponse {
    return {
      id,
      model: model ?? this.models.defaultModel,
      system,
      tools,
      metadata,
      last_seq: Number(lastSeq),
      created_at: createdAt.toISOString(),
    };
  }
}
