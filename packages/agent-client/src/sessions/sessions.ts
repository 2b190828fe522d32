import { type Transport } from '../http/transport.ts';
import { type NewSession, type Session, type SessionDetail, sessionPath, SESSIONS_PATH } from './session.ts';

export interface SessionPage {
  sessions: Session[];
  next_cursor: string | null;
}

export interface SessionListOptions {
  /** Sessions per page. */
  limit?: number;
  /** The `next_cursor` of the previous page. */
  cursor?: string;
  /** Only sessions of which this is a part of the id or of the title. */
  q?: string;
  /** `newest` by default. */
  sort?: 'newest' | 'oldest';
  signal?: AbortSignal;
}

interface Abortable {
  signal?: AbortSignal;
}

export class Sessions {
  constructor(private readonly transport: Transport) {}

  /** Rejects with 409 if the id is used by another session. Does not retry when the response is lost, because the session may exist then. */
  create(session: NewSession = {}, { signal }: Abortable = {}): Promise<Session> {
    const call = { method: 'POST' as const, path: SESSIONS_PATH, body: session, isRepeatable: false };
    return this.transport.json(call, signal);
  }

  get(sessionId: string, { signal }: Abortable = {}): Promise<SessionDetail> {
    return this.transport.json({ method: 'GET', path: sessionPath(sessionId) }, signal);
  }

  page({ limit, cursor, q, sort, signal }: SessionListOptions = {}): Promise<SessionPage> {
    const query = { limit, cursor, q, sort };
    return this.transport.json({ method: 'GET', path: SESSIONS_PATH, query }, signal);
  }

  /** The sessions of the account. Fetches each page on demand. */
  async *list(options: SessionListOptions = {}): AsyncGenerator<Session, void, undefined> {
    let cursor = options.cursor;
    do {
      const { sessions, next_cursor: next } = await this.page({ ...options, cursor });
      yield* sessions;
      cursor = next ?? undefined;
    } while (cursor !== undefined);
  }

  /** Replaces the metadata of the session. */
  update(
    sessionId: string,
    change: { metadata: Record<string, string> },
    { signal }: Abortable = {},
  ): Promise<Session> {
    return this.transport.json({ method: 'PATCH', path: sessionPath(sessionId), body: change }, signal);
  }

  /** Cancels running turns and deletes the session. The id can be used again. */
  delete(sessionId: string, { signal }: Abortable = {}): Promise<void> {
    return this.transport.json({ method: 'DELETE', path: sessionPath(sessionId), doneOnRepeat: 404 }, signal);
  }

  /** Cancels all open turns and returns their ids. */
  async cancel(sessionId: string, { signal }: Abortable = {}): Promise<string[]> {
    const call = { method: 'POST' as const, path: `${sessionPath(sessionId)}/cancel` };
    const { cancelled } = await this.transport.json<{ cancelled: string[] }>(call, signal);
    return cancelled;
  }
}
