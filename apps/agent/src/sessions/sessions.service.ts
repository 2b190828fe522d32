import { ConflictException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { type Caller } from '@inference/credentials';
import { inTransaction, newId, SQL_POOL, type SqlPool } from '@inference/database';
import { type PageQuery, type Position, readPage } from '@inference/http';
import { AGENT_CONFIG, type AgentConfig } from '../config';
import { type TurnStatus } from '../events/event';
import { TURN_DELETED } from '../frames/turn-feeds';
import { cancelTurns, readOpenTurns } from '../turns/turn-log';
import { type SessionBody } from './session.dto';
import { type ToolDefinition } from './tool-shapes';

interface SessionRow {
  id: string;
  model: string | null;
  system: string | null;
  tools: ToolDefinition[];
  metadata: Record<string, string>;
  last_seq: bigint;
  created_at: Date;
}

export interface SessionView {
  id: string;
  model: string;
  system: string | null;
  tools: ToolDefinition[];
  metadata: Record<string, string>;
  /** The newest event's, 0 when there is none. */
  last_seq: number;
  created_at: string;
}

interface OpenTurnView {
  id: string;
  status: TurnStatus;
}

const COLUMNS = 'id, model, system, tools, metadata, last_seq, created_at';
const INSERT = `
  INSERT INTO agent.sessions (id, account_id, model, system, tools, metadata) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`;
const FIND = `SELECT ${COLUMNS} FROM agent.sessions WHERE id = $1 AND account_id = $2`;
const OPEN_TURNS = `
  SELECT id, status FROM agent.turns
  WHERE session_id = $1 AND status IN ('queued', 'running', 'requires_action') ORDER BY number`;
const LIST = `
  SELECT ${COLUMNS}, json_build_object('at', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'id', id) AS position
  FROM agent.sessions WHERE account_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3))
  ORDER BY created_at DESC, id DESC LIMIT $4`;
const LOCK = 'SELECT FROM agent.sessions WHERE id = $1 AND account_id = $2 FOR UPDATE';
const DELETE_FRAMES = `
  DELETE FROM agent.frames WHERE turn_id IN (SELECT id FROM agent.turns WHERE session_id = $1)`;
const NOTIFY_DELETED = 'SELECT pg_notify($1, $2)';
const DELETE = 'DELETE FROM agent.sessions WHERE id = $1';

export const noSuchSession = () => new NotFoundException('there is no such session');

@Injectable()
export class SessionsService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(AGENT_CONFIG) private readonly config: AgentConfig,
  ) {}

  /** 409 when the id is taken, by whomever. */
  async create({ accountId }: Caller, body: SessionBody): Promise<SessionView> {
    const { rows } = await this.pool.query<SessionRow>(INSERT, [
      body.id ?? newId('sess'),
      accountId,
      body.model ?? null,
      body.system ?? null,
      JSON.stringify(body.tools),
      JSON.stringify(body.metadata),
    ]);
    if (!rows[0]) throw new ConflictException('the id is taken');
    return this.view(rows[0]);
  }

  async list(
    { accountId }: Caller,
    query: PageQuery,
  ): Promise<{ sessions: SessionView[]; next_cursor: string | null }> {
    const read = async (after: Position | null, count: number) => {
      const values = [accountId, after?.at ?? null, after?.id ?? null, count];
      return (await this.pool.query<SessionRow & { position: Position }>(LIST, values)).rows;
    };
    const { rows, nextCursor } = await readPage(`sessions:${accountId}`, query, read);
    return { sessions: rows.map((row) => this.view(row)), next_cursor: nextCursor };
  }

  async find({ accountId }: Caller, id: string): Promise<SessionView & { open_turns: OpenTurnView[] }> {
    const { rows } = await this.pool.query<SessionRow>(FIND, [id, accountId]);
    if (!rows[0]) throw noSuchSession();
    const open = await this.pool.query<OpenTurnView>(OPEN_TURNS, [id]);
    return { ...this.view(rows[0]), open_turns: open.rows };
  }

  /** Ends what runs and what waits; what was said until then stays. */
  cancel({ accountId }: Caller, id: string): Promise<{ cancelled: string[] }> {
    return inTransaction(this.pool, async (sql) => {
      if ((await sql.query(LOCK, [id, accountId])).rowCount === 0) throw noSuchSession();
      const turns = await readOpenTurns(sql, id);
      await cancelTurns(sql, turns, 'The caller cancelled this turn.');
      return { cancelled: turns.map((turn) => turn.id) };
    });
  }

  /** With everything in it; what runs is broken off. */
  async remove({ accountId }: Caller, id: string): Promise<void> {
    await inTransaction(this.pool, async (sql) => {
      if ((await sql.query(LOCK, [id, accountId])).rowCount === 0) throw noSuchSession();
      for (const turn of await readOpenTurns(sql, id))
        await sql.query(NOTIFY_DELETED, [TURN_DELETED, turn.id]);
      await sql.query(DELETE_FRAMES, [id]);
      await sql.query(DELETE, [id]);
    });
  }

  private view({
    id,
    model,
    system,
    tools,
    metadata,
    last_seq: lastSeq,
    created_at: createdAt,
  }: SessionRow): SessionView {
    return {
      id,
      model: model ?? this.config.DEFAULT_MODEL,
      system,
      tools,
      metadata,
      last_seq: Number(lastSeq),
      created_at: createdAt.toISOString(),
    };
  }
}
