import { drained } from '@inference/http';
import { type MessageEvent } from '@nestjs/common';
import { type Response } from 'express';
import { Observable, type Subscriber } from 'rxjs';

/** The response headers of every event stream. */
const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  Connection: 'keep-alive',
  'Cache-Control': 'private, no-cache, no-store, must-revalidate, max-age=0, no-transform',
  Pragma: 'no-cache',
  // Stops nginx from buffering the stream.
  'X-Accel-Buffering': 'no',
};

/** Writes text to the body of an event stream. Returns false if the client is behind, as `response.write` does. */
type WriteText = (text: string) => boolean;

/**
 * Opens the body of a response for text that does not go through Nest. The first text begins the response if Nest has not begun it
 * yet; Nest ends it. Nest's headers,
 * among them the misspelt `Expire: 0`, are replaced; headers that were set with `setHeader` are kept. To be called once it is
 * certain that the response becomes a stream: an error has other headers.
 */
function openEventStreamBody(response: Response): WriteText {
  const writeHead = response.writeHead.bind(response);
  let hasBegun = false;
  response.writeHead = (statusCode: number) => {
    if (hasBegun) return ignoreNextWrite(response);
    hasBegun = true;
    return writeHead(statusCode, EVENT_STREAM_HEADERS);
  };
  return (text) => {
    if (hasBegun) return response.write(text);
    hasBegun = true;
    writeHead(response.statusCode, EVENT_STREAM_HEADERS);
    return response.write(FIRST_LINE + text);
  };
}

/** Nest writes it right after the headers. */
const FIRST_LINE = '\n';

/** Nest now writes its empty line, which has been sent already. */
function ignoreNextWrite(response: Response): Response {
  const { write } = response;
  response.write = () => {
    response.write = write;
    return true;
  };
  return response;
}

/** `type` and `id` have no line breaks. */
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
    const stream = new EventStream(subscriber, response, openEventStreamBody(response), options);
    const onEnd = onOpen(stream);
    return () => {
      onEnd();
      stream.detach();
    };
  });
}

const COMMENT = ': \n\n';
/** How long a stream that is cut off may take to end by itself, and to be read. Specified: it has ended after five seconds. */
const LAST_WORD_MILLIS = 2_000;
const CUT_OFF_LIMIT_MILLIS = 4_000;

/**
 * One response of server-sent events while it is open. Events are written to the response directly, because the way through
 * the Observable costs a fifth of the processor time of a busy agent (ADR 33). The Observable says when the stream ends.
 */
export class EventStream {
  private readonly heartbeat: NodeJS.Timeout;
  private stallTimeout: NodeJS.Timeout | undefined;
  private retryMillis: number | undefined;
  private backedUp = false;

  constructor(
    private readonly subscriber: Subscriber<MessageEvent>,
    private readonly response: Response,
    private readonly writeText: WriteText,
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
    return this.backedUp;
  }

  /** Sends an event; does nothing once the stream is closed. */
  send(event: ServerSentEvent): void {
    if (this.isClosed) return;
    this.heartbeat.refresh();
    const retry = this.retryMillis;
    this.retryMillis = undefined;
    this.write(serialize(event, retry));
  }

  /** Sends a line that clients ignore. */
  sendComment(): void {
    if (!this.isClosed) this.write(COMMENT);
  }

  /** Waits until the client can take more. Resolves with false if it left or was disconnected. */
  drained(): Promise<boolean> {
    return drained(this.response, this.options.stallMillis);
  }

  /** Ends the response after what was sent. */
  end(): void {
    this.subscriber.complete();
  }

  /**
   * Ends the stream with this event, unless it ends by itself within two seconds, which tells the client more. A client that reads nothing
   * is disconnected two seconds later.
   */
  cutOff(event: ServerSentEvent): void {
    const timers = [
      setTimeout(() => {
        this.send(event);
        this.end();
      }, LAST_WORD_MILLIS),
      setTimeout(() => this.response.destroy(), CUT_OFF_LIMIT_MILLIS),
    ];
    this.response.once('close', () => timers.forEach(clearTimeout));
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
    if (!this.backedUp) this.sendComment();
  }

  private write(text: string): void {
    if (!this.writeText(text) && !this.backedUp) this.waitForClient();
  }

  /** Disconnects a client that takes nothing for the stall time. */
  private waitForClient(): void {
    this.backedUp = true;
    this.stallTimeout = setTimeout(() => this.response.destroy(), this.options.stallMillis);
    this.response.once('drain', () => {
      this.backedUp = false;
      clearTimeout(this.stallTimeout);
    });
  }
}

const ANY_LINE_BREAK = /\r\n|\r|\n/;
const LINE_BREAK = /[\r\n]/;

/** The event as it is on the wire. */
function serialize({ type, id, data }: ServerSentEvent, retryMillis: number | undefined): string {
  // JSON, the usual data, has one line.
  const lines = LINE_BREAK.test(data) ? data.split(ANY_LINE_BREAK).join('\ndata: ') : data;
  const retry = retryMillis === undefined ? '' : `retry: ${retryMillis}\n`;
  return `${type === undefined ? '' : `event: ${type}\n`}${id === undefined ? '' : `id: ${id}\n`}${retry}data: ${lines}\n\n`;
}
