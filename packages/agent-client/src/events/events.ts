import { sessionPath } from '../sessions/session.ts';
import { type Transport } from '../http/transport.ts';
import { type AgentEvent, type NewEvent } from './event.ts';
import { makeIdempotencyKey } from './idempotency-key.ts';

export interface SendOptions {
  /** The same event again under the same key is the same event; a new one by default. */
  idempotencyKey?: string;
  /** What to do while a turn is open (role user only); by default that is refused with 409 and the turn's id. */
  onBusy?: 'enqueue' | 'interrupt';
  signal?: AbortSignal;
}

export interface EventPage {
  events: AgentEvent[];
  has_more: boolean;
}

export interface EventListOptions {
  /** The `seq` to go on after. */
  after?: number;
  /** Events per page: 1…100, by default 50. */
  limit?: number;
  signal?: AbortSignal;
}

/** The call that both ways of sending an event have in common. */
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

  /** Stores the event and returns it at once; its turn runs on in the background. */
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

  /** Every event after that one in the order of `seq`; the next page is fetched when it is asked for. */
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
