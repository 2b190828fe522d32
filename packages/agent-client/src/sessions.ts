import { type Transport } from './http/transport.ts';
import { type TurnStatus } from './events/event.ts';

/** A function that the model may call; `parameters` is a JSON Schema. */
export interface ToolDefinition {
  type: 'function';
  function: {
    name: string;
    description?: string;
    parameters?: Record<string, unknown>;
    strict?: boolean | null;
  };
}

export interface NewSession {
  /** 1 to 128 characters of `[A-Za-z0-9._:-]`. Default: the service generates one. */
  id?: string;
  /** Default: the default model of the service. */
  model?: string;
  system?: string;
  tools?: ToolDefinition[];
  metadata?: Record<string, string>;
}

export interface Session {
  id: string;
  model: string;
  system: string | null;
  tools: ToolDefinition[];
  metadata: Record<string, string>;
  /** ISO 8601, UTC. */
  created_at: string;
  /** The `seq` of its newest event; 0 if it has none. */
  last_seq: number;
}

export interface OpenTurn {
  id: string;
  status: Extract<TurnStatus, 'queued' | 'running' | 'requires_action'>;
}

/** A session with its open turns. */
export interface SessionDetail extends Session {
  /** In the order of execution. */
  open_turns: OpenTurn[];
}

/** Below the API path of the client. */
const SESSIONS_PATH = '/sessions';

export const sessionPath = (sessionId: string) => `${SESSIONS_PATH}/${encodeURIComponent(sessionId)}`;

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
