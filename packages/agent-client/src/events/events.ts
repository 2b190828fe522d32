import { sessionPath } from '../sessions.ts';
import { type Transport } from '../http/transport.ts';
import { type AgentEvent, type NewEvent } from './event.ts';

export interface SendOptions {
  /** The service stores an event that is sent again with the same key only once. Default: a new key. */
  idempotencyKey?: string;
  /** What to do with a message while a turn is open. Default: the service answers 409 with the turn's id. */
  onBusy?: 'enqueue' | 'interrupt';
  signal?: AbortSignal;
}

export interface EventPage {
  events: AgentEvent[];
  has_more: boolean;
}

export interface EventListOptions {
  /** Lists the events after this `seq`. */
  after?: number;
  /** Events per page: 1 to 100. Default: 50. */
  limit?: number;
  signal?: AbortSignal;
}

/** The request that sends an event, for streams and for plain calls. */
export function sendingCall(sessionId: string, event: NewEvent, { idempotencyKey, onBusy }: SendOptions) {
  return {
    method: 'POST' as const,
    path: `${sessionPath(sessionId)}/events`,
    query: { on_busy: onBusy },
    headers: { 'idempotency-key': idempotencyKey ?? makeIdempotencyKey() },
    body: event,
  };
}

export class Events {
  constructor(private readonly transport: Transport) {}

  /** Stores the event and returns it at once. Its turn runs in the background. */
  send(sessionId: string, event: NewEvent, options: SendOptions = {}): Promise<AgentEvent> {
    return this.transport.json(sendingCall(sessionId, event, options), options.signal);
  }

  get(sessionId: string, eventId: string, { signal }: { signal?: AbortSignal } = {}): Promise<AgentEvent> {
    const path = `${sessionPath(sessionId)}/events/${encodeURIComponent(eventId)}`;
    return this.transport.json({ method: 'GET', path }, signal);
  }

  page(sessionId: string, { after, limit, signal }: EventListOptions = {}): Promise<EventPage> {
    const path = `${sessionPath(sessionId)}/events`;
    return this.transport.json({ method: 'GET', path, query: { after, limit } }, signal);
  }

  /** All events after a `seq`, in ascending order. Fetches each page on demand. */
  async *list(
    sessionId: string,
    options: EventListOptions = {},
  ): AsyncGenerator<AgentEvent, void, undefined> {
    let after = options.after;
    for (;;) {
      const { events, has_more: hasMore } = await this.page(sessionId, { ...options, after });
      yield* events;
      const last = events.at(-1);
      if (!hasMore || !last) return;
      after = last.seq;
    }
  }
}

/** 32 hexadecimal digits. Browsers offer `randomUUID` only on pages that were loaded by HTTPS. */
export function makeIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
