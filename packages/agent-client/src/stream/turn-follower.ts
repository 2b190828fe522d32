import { AgentError } from '../http/agent-error.ts';
import { Connection } from '../http/connection.ts';
import { RetryBackoff } from '../http/retry.ts';
import { type Call, type Prepared, type Transport } from '../http/transport.ts';
import { sessionPath } from '../sessions.ts';
import { type TurnErrorEvent, type StreamEvent, endsResponse, parseStreamEvent } from './stream-event.ts';
import { StreamResponse } from './stream-response.ts';

/** Heartbeats for this time count as progress, even without an event. */
const STABLE_AFTER_MS = 10_000;

export interface Following {
  sessionId: string;
  /** The POST that starts the turn. It is repeated until the first stream event arrives, so it needs an Idempotency-Key. */
  start?: Call;
  /** The id of the last stream event that was received. */
  after?: string;
  signal?: AbortSignal;
}

/** Yields the stream events of one turn, each once, from as many responses as necessary. */
export class TurnFollower {
  private readonly patience: RetryBackoff;
  private after: string | undefined;
  private hasEvents = false;

  constructor(
    private readonly transport: Transport,
    private readonly following: Following,
  ) {
    this.patience = new RetryBackoff(transport.retry, following.signal);
    this.after = following.after;
  }

  /** Ends with an event that ends a response, or without one if the session has no turn. Leaving the loop closes the connection. */
  async *events(): AsyncGenerator<StreamEvent | TurnErrorEvent, void, undefined> {
    for (;;) {
      const request = this.transport.prepare(this.call());
      const connection = new Connection(this.transport.silenceMs, this.following.signal);
      let failure: unknown = new Error('the response ended before its turn did.');
      try {
        if (yield* this.eventsOfResponse(request, connection)) return;
      } catch (error) {
        failure = error;
      } finally {
        connection.close();
      }
      await this.patience.afterFailure(failure);
    }
  }

  /** Returns false if the response was interrupted. */
  private async *eventsOfResponse(
    request: Prepared,
    connection: Connection,
  ): AsyncGenerator<StreamEvent | TurnErrorEvent, boolean, undefined> {
    const answer = await this.transport.open(request, connection);
    if (answer.status === 204) return this.nothingMore();
    const openedAt = Date.now();
    const response = new StreamResponse(answer, connection, {
      onRetry: (milliseconds) => (this.patience.baseDelayMs = milliseconds),
      onSign: () => Date.now() - openedAt >= STABLE_AFTER_MS && this.patience.progress(),
    });
    for await (const message of response.messages()) {
      const event = parseStreamEvent(message);
      if (!event) continue;
      this.advanceTo(event);
      yield event;
      if (!endsResponse(event)) continue;
      await response.drain();
      return true;
    }
    return false;
  }

  private call(): Call {
    const { start, sessionId } = this.following;
    const call: Call =
      start && !this.hasEvents ? start : { method: 'GET', path: `${sessionPath(sessionId)}/events/stream` };
    const position: Record<string, string> =
      call === start || this.after === undefined ? {} : { 'last-event-id': this.after };
    return { ...call, headers: { accept: 'text/event-stream', ...call.headers, ...position } };
  }

  private nothingMore(): true {
    if (!this.hasEvents && !this.following.start) return true;
    throw new AgentError(`The stream ended after ${this.after}, before its turn did.`, {
      code: 'bad_answer',
    });
  }

  private advanceTo({ id }: StreamEvent | TurnErrorEvent): void {
    const last = parsePosition(this.after);
    const position = parsePosition(id);
    if (!position)
      throw new AgentError(`A stream event has the id ${id}, which is not a position.`, {
        code: 'bad_answer',
      });
    // The next turn must not begin before the last event of this one.
    const isOtherTurn = this.hasEvents && position.turn !== last?.turn;
    if (last && (isOtherTurn || !isNext(position, last))) {
      const message = `Stream event ${id} came after ${this.after}: something is missing, or comes twice.`;
      throw new AgentError(message, { code: 'out_of_order' });
    }
    this.after = id;
    this.hasEvents = true;
    this.patience.progress();
  }
}

/** The position of a stream event, such as `3.17`: the number of its turn in the session and its number in the turn, from 1. */
interface Position {
  turn: number;
  event: number;
}

function parsePosition(id: string | undefined): Position | undefined {
  const [, turn, event] = /^(\d{1,15})\.(\d{1,15})$/.exec(id ?? '') ?? [];
  return turn === undefined ? undefined : { turn: Number(turn), event: Number(event) };
}

/** Whether a position directly follows the last one. The last one may be the end of its turn. */
function isNext(position: Position, last: Position): boolean {
  return (
    (position.turn === last.turn && position.event === last.event + 1) ||
    (position.turn === last.turn + 1 && position.event === 1)
  );
}
