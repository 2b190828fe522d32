import { Database, newId } from '@inference/database';
import { type Caller } from '@inference/guards';
import { readPage } from '@inference/http';
import { ConflictException, Inject, Injectable } from '@nestjs/common';
import { MODELS_CONFIG, type ModelsConfig } from '../models/models.config';
import {
  deleteStreamEventsOfSession,
  notifyReplicas,
  TURN_DELETED,
} from '../streams/stream-events.repository';
import { cancelTurns } from '../turns/turn-outcome';
import { readOpenTurns } from '../turns/turns.repository';
import { noSuchSession, requireLockedSession } from './session-lock';
import { keyIdOf, sessionScopeOf } from '../session-scope';
import {
  type CancelledTurnsResponse,
  type CreateSessionDto,
  type SessionDetailsResponse,
  type SessionListResponse,
  type SessionResponse,
  type SessionsQuery,
  type UpdateSessionDto,
} from './session.dto';
import {
  deleteSession,
  findSession,
  insertSession,
  listSessions,
  type SessionDetails,
  setMetadata,
} from './sessions.repository';

@Injectable()
export class SessionsService {
  constructor(
    private readonly database: Database,
    @Inject(MODELS_CONFIG) private readonly models: ModelsConfig,
  ) {}

  /** Throws 409 if a session of the account has the id. */
  async create(caller: Caller, body: CreateSessionDto): Promise<SessionResponse> {
    const { accountId } = caller;
    const { model = null, system = null, tools, metadata } = body;
    const id = newId('sess');
    const publicId = body.id ?? id;
    const apiKeyId = keyIdOf(caller);
    const session = { id, publicId, accountId, model, system, tools, metadata, apiKeyId };
    const stored = await insertSession(this.database, session);
    if (!stored) throw new ConflictException('id: is used by another session');
    return this.responseOf(stored);
  }

  async list(caller: Caller, query: SessionsQuery): Promise<SessionListResponse> {
    const scope = sessionScopeOf(caller);
    const list = ['sessions', scope.accountId, ...(scope.madeByKeyId === null ? [] : [scope.madeByKeyId])];
    const { q: text, sort: order } = query;
    const chosen = order === 'newest' && text === undefined ? [] : [order, text ?? ''];
    const { rows, nextCursor } = await readPage([...list, ...chosen].join(':'), query, (after, count) =>
      listSessions(this.database, scope, { text, order }, after, count),
    );
    return { sessions: rows.map((row) => this.responseOf(row)), next_cursor: nextCursor };
  }

  async find(caller: Caller, id: string): Promise<SessionDetailsResponse> {
    const session = await findSession(this.database, id, sessionScopeOf(caller));
    if (!session) throw noSuchSession();
    const open = await readOpenTurns(this.database, session.id);
    return {
      ...this.responseOf(session),
      open_turns: open.map((turn) => ({ id: turn.id, status: turn.status })),
    };
  }

  async update(caller: Caller, id: string, { metadata }: UpdateSessionDto): Promise<SessionResponse> {
    return this.database.transaction(async (transaction) => {
      const session = await requireLockedSession(transaction, id, caller);
      return this.responseOf(await setMetadata(transaction, session.id, metadata));
    });
  }

  /** Cancels the running and queued turns; events stay. */
  cancel(caller: Caller, id: string): Promise<CancelledTurnsResponse> {
    return this.database.transaction(async (transaction) => {
      const session = await requireLockedSession(transaction, id, caller);
      const turns = await readOpenTurns(transaction, session.id);
      await cancelTurns(transaction, turns, 'The caller cancelled this turn.');
      return { cancelled: turns.map((turn) => turn.id) };
    });
  }

  /** Deletes a session with its turns and events, and aborts the running turn. */
  async remove(caller: Caller, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const session = await requireLockedSession(transaction, id, caller);
      for (const turn of await readOpenTurns(transaction, session.id))
        await notifyReplicas(transaction, TURN_DELETED, turn.id);
      await deleteStreamEventsOfSession(transaction, session.id);
      await deleteSession(transaction, session.id);
    });
  }

  private responseOf(session: SessionDetails): SessionResponse {
    const { publicId, model, system, tools, metadata, lastSeq, createdAt } = session;
    return {
      id: publicId,
      model: model ?? this.models.defaultModel,
      system,
      tools,
      metadata,
      last_seq: Number(lastSeq),
      created_at: createdAt.toISOString(),
    };
  }
}
