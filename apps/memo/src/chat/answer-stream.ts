import { type MessageEvent } from '@nestjs/common';
import { type Response } from 'express';
import { Observable, type Subscriber } from 'rxjs';
import { EventText } from '../answers/event-text';
import { MarkerFilter } from '../answers/marker-filter';

interface AnswerStreamOptions {
  response: Response;
  /** How many passages the answer can cite. */
  passages: number;
  heartbeatMillis: number;
  stallMillis: number;
}

/** The data of an `event: error`. */
export interface StreamError {
  error: string;
  /** Stable, for programs. */
  code: string;
  retryable: boolean;
}

/** An answer on its way to its reader. What comes before the reader listens is kept for him. */
export class AnswerStream {
  /** What was sent of the answer. */
  text = '';
  private readonly markers: MarkerFilter;
  private readonly cutter = new EventText();
  private readonly waiting: MessageEvent[] = [];
  private subscriber: Subscriber<MessageEvent> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private stalled: NodeJS.Timeout | undefined;
  private isWhole = false;
  private ended = false;

  constructor(private readonly options: AnswerStreamOptions) {
    this.markers = new MarkerFilter(options.passages);
  }

  /** In ascending order. */
  get cited(): number[] {
    return [...this.markers.cited].sort((one, other) => one - other);
  }

  events(): Observable<MessageEvent> {
    return new Observable((subscriber) => {
      this.subscriber = subscriber;
      this.heartbeat = setInterval(() => this.beat(), this.options.heartbeatMillis);
      // Headers go out with the first event; a reader should not wait for them until the model speaks.
      subscriber.next({ comment: '' } as MessageEvent);
      for (const event of this.waiting) subscriber.next(event);
      if (this.ended) subscriber.complete();
      return () => this.detach();
    });
  }

  /** A piece of the answer as it was written. */
  write(text: string): void {
    this.sendText(this.markers.feed(text));
  }

  /** What is quoted word for word; what looks like a marker in it is none. */
  quote(text: string, cited: number[]): void {
    for (const number of cited) this.markers.cited.add(number);
    this.sendText(text);
  }

  /** Nothing more is written; what was held back goes out, but not white space at the end. */
  finishText(): void {
    this.sendText(this.markers.end());
    this.cutter.drop();
  }

  /** The last event of an answer that is whole; the stream stays open. */
  cite(citationsLine: string): void {
    this.isWhole = true;
    this.send({ data: citationsLine });
  }

  fail(error: StreamError): void {
    // As text: what is an object is sent as a copy, which would be numbered.
    if (!this.isWhole) this.send({ type: 'error', data: JSON.stringify(error) });
    this.end();
  }

  end(): void {
    this.ended = true;
    this.subscriber?.complete();
  }

  private sendText(text: string): void {
    for (const data of this.cutter.feed(text)) {
      this.text += data;
      this.send({ data });
    }
  }

  private send(event: MessageEvent): void {
    if (this.ended) return;
    this.heartbeat?.refresh();
    // Nest numbers events that have no id; nobody could come back with one of these.
    Object.defineProperty(event, 'id', { get: () => undefined, set: () => undefined });
    if (this.subscriber) this.subscriber.next(event);
    else this.waiting.push(event);
    this.watchReader();
  }

  private beat(): void {
    if (!this.options.response.writableNeedDrain) this.subscriber?.next({ comment: '' } as MessageEvent);
    this.watchReader();
  }

  /** Cuts a reader off that takes nothing for too long. */
  private watchReader(): void {
    const { response, stallMillis } = this.options;
    if (!response.writableNeedDrain || this.stalled) return;
    this.stalled = setTimeout(() => response.destroy(), stallMillis);
    response.once('drain', () => {
      clearTimeout(this.stalled);
      this.stalled = undefined;
    });
  }

  private detach(): void {
    clearInterval(this.heartbeat);
    clearTimeout(this.stalled);
    this.ended = true;
    const { response, stallMillis } = this.options;
    if (response.closed) return;
    // What was sent may still have to be taken.
    const timeout = setTimeout(() => response.destroy(), stallMillis);
    response.once('close', () => clearTimeout(timeout));
  }
}
