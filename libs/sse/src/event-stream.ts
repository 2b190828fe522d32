import { type MessageEvent } from '@nestjs/common';
import { drained } from '@inference/http';
import { type Response } from 'express';
import { Observable, type Subscriber } from 'rxjs';
import { useEventStreamHeaders } from './event-stream-headers';

export interface ServerSentEvent {
  /** The `event:` field; without it clients receive a `message` event. */
  type?: string;
  /** The position that a client sends back as `Last-Event-ID`. Without it the event has no `id:` field. */
  id?: string;
  /** Text; every line of it becomes a `data:` field of its own. */
  data: string;
}

export interface EventStreamOptions {
  /** A comment is sent after so long without an event, so that proxies do not close an idle connection. */
  heartbeatMillis: number;
  /** A client that takes nothing of its stream for so long is disconnected. */
  stallMillis: number;
  /** How long an EventSource waits before it reconnects; sent with the first event. Undefined: the client's default. */
  retryMillis?: number;
}

/**
 * Returns the Observable of an `@Sse` handler. Nest subscribes to it once the handler has succeeded: errors before that
 * are answered with their HTTP status.
 * @param onOpen is called when the stream begins; what it returns is called when the stream ends, whichever side ended
 * it
 */
export function eventStream(
  response: Response,
  options: EventStreamOptions,
  onOpen: (stream: EventStream) => () => void,
): Observable<MessageEvent> {
  return new Observable((subscriber) => {
    useEventStreamHeaders(response);
    const stream = new EventStream(subscriber, response, options);
    const onEnd = onOpen(stream);
    return () => {
      onEnd();
      stream.detach();
    };
  });
}

/** One response of server-sent events while it is open. Nest does not carry backpressure to the producer, so this class does. */
export class EventStream {
  private readonly heartbeat: NodeJS.Timeout;
  private stallTimeout: NodeJS.Timeout | undefined;
  private retryMillis: number | undefined;

  constructor(
    private readonly subscriber: Subscriber<MessageEvent>,
    private readonly response: Response,
    private readonly options: EventStreamOptions,
  ) {
    this.retryMillis = options.retryMillis;
    this.heartbeat = setInterval(() => this.beat(), options.heartbeatMillis);
  }

  /** Nothing can be sent any more. */
  get isClosed(): boolean {
    return this.subscriber.closed;
  }

  /** The client has not taken what was sent; what is sent now waits in memory. */
  get isBackedUp(): boolean {
    return this.response.writableNeedDrain;
  }

  /** Sends an event; does nothing once the stream is closed. */
  send(event: ServerSentEvent): void {
    if (this.isClosed) return;
    this.heartbeat.refresh();
    const retry = this.retryMillis;
    this.retryMillis = undefined;
    // Fields are named one by one: a spread makes the whole stream a fifth slower (60,000 events over loopback).
    const { type, id, data } = event;
    this.subscriber.next(id === undefined ? new EventWithoutId(event, retry) : { type, id, retry, data });
    this.watchClient();
  }

  /** Sends a line that clients ignore. */
  sendComment(): void {
    this.subscriber.next({ comment: '' } as MessageEvent);
  }

  /** Waits until the client can take more. Resolves with false if it left or was disconnected. */
  drained(): Promise<boolean> {
    return drained(this.response, this.options.stallMillis);
  }

  /** Ends the response after what was sent. */
  end(): void {
    this.subscriber.complete();
  }

  /** Stops the timers of an ended stream; the client gets the stall time to take the rest. */
  detach(): void {
    clearInterval(this.heartbeat);
    clearTimeout(this.stallTimeout);
    if (this.response.closed) return;
    const timeout = setTimeout(() => this.response.destroy(), this.options.stallMillis);
    this.response.once('close', () => clearTimeout(timeout));
  }

  private beat(): void {
    if (!this.isBackedUp) this.sendComment();
    this.watchClient();
  }

  /** Disconnects a client that takes nothing for the stall time. */
  private watchClient(): void {
    if (!this.isBackedUp || this.stallTimeout) return;
    this.stallTimeout = setTimeout(() => this.response.destroy(), this.options.stallMillis);
    this.response.once('drain', () => {
      clearTimeout(this.stallTimeout);
      this.stallTimeout = undefined;
    });
  }
}

/** An event of a stream that cannot be resumed. Nest assigns an id to every event that has none; this class ignores that. */
class EventWithoutId implements MessageEvent {
  readonly type: string | undefined;
  readonly data: string;

  constructor(
    event: ServerSentEvent,
    readonly retry: number | undefined,
  ) {
    this.type = event.type;
    this.data = event.data;
  }

  get id(): undefined {
    return undefined;
  }

  set id(_assigned: string | undefined) {
    // Intentionally empty.
  }
}
