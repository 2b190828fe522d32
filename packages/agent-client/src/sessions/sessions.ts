import { type Transport } from '../http/transport.ts';
import { type NewSession, type Session, type SessionDetail, sessionPath, SESSIONS_PATH } from './session.ts';

export interface SessionPage {
  sessions: Session[];
  next_cursor: string | null;
}

export interface SessionListOptions {
  /** Sessions per page. */
  limit?: number;
  /** The `next_cursor` of the page before. */
  cursor?: string;
  signal?: AbortSignal;
}

interface Abortable {
  signal?: AbortSignal;
}

export class Sessions {
  constructor(private readonly transport: Transport) {}

  /** 409 when the id is taken. Not sent twice when its answer is lost: it may have been made. */
  create(session: NewSession = {}, { signal }: Abortable = {}): Promise<Session> {
    const call = { method: 'POST' as const, path: SESSIONS_PATH, body: session, isRepeatable: false };
    return this.transport.json(call, signal);
  }

  get(sessionId: string, { signal }: Abortable = {}): Promise<SessionDetail> {
    return this.transport.json({ method: 'GET', path: sessionPath(sessionId) }, signal);
  }

  page({ limit, cursor, signal }: SessionListOptions = {}): Promise<SessionPage> {
    return this.transport.json({ method: 'GET', path: SESSIONS_PATH, query: { limit, cursor } }, signal);
  }

  /** The caller's sessions, newest first; the next page is fetched when it is asked for. */
  async *list(options: SessionListOptions = {}): AsyncGenerator<Session, void, undefined> {
    let cursor = options.cursor;
    do {
      const { sessions, next_cursor: next } = await this.page({ ...options, cursor });
      yield* sessions;
      cursor = next ?? undefined;
    } while (cursor !== undefined);
  }

  /** Breaks off what runs; the id is free again. */
  delete(sessionId: string, { signal }: Abortable = {}): Promise<void> {
    return this.transport.json({ method: 'DELETE', path: sessionPath(sessionId), doneOnRepeat: 404 }, signal);
  }

  /** Cancels every open turn and returns their ids, none when there was none. */
  async cancel(sessionId: string, { signal }: Abortable = {}): Promise<string[]> {
    const call = { method: 'POST' as const, path: `${sessionPath(sessionId)}/cancel` };
    const { cancelled } = await this.transport.json<{ cancelled: string[] }>(call, signal);
    return cancelled;
  }
}
