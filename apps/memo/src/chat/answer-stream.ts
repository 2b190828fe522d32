import { type MessageEvent } from '@nestjs/common';
import { eventStream, type EventStream, type EventStreamOptions, type ServerSentEvent } from '@inference/sse';
import { type Response } from 'express';
import { type Observable } from 'rxjs';
import { CitationMarkerFilter } from './citations/citation-markers';
import { EventSplitter } from './answers/event-splitter';
import { type AnswerErrorEvent } from './conversations/conversation.dto';

interface AnswerStreamOptions extends EventStreamOptions {
  response: Response;
  /** How many passages the answer can cite. */
  passages: number;
}

/** Sends an answer to the client as it is written. Events that are written before the stream is open are sent when it opens. */
export class AnswerStream {
  /** The part of the answer that was sent. */
  text = '';
  private readonly markers: CitationMarkerFilter;
  private readonly splitter = new EventSplitter();
  private readonly unsentEvents: ServerSentEvent[] = [];
  private stream: EventStream | undefined;
  private isComplete = false;
  private ended = false;

  constructor(private readonly options: AnswerStreamOptions) {
    this.markers = new CitationMarkerFilter(options.passages);
  }

  /** In ascending order. */
  get cited(): number[] {
    return [...this.markers.cited].sort((one, other) => one - other);
  }

  events(): Observable<MessageEvent> {
    return eventStream(this.options.response, this.options, (stream) => {
      this.stream = stream;
      stream.sendComment();
      for (const event of this.unsentEvents) stream.send(event);
      if (this.ended) stream.end();
      return () => (this.ended = true);
    });
  }

  /** Sends a part of the model's answer; citation markers in it are interpreted. */
  write(text: string): void {
    this.sendText(this.markers.push(text));
  }

  /** Sends quoted text, in which citation markers are not interpreted. */
  quote(text: string, cited: number[]): void {
    for (const number of cited) this.markers.cited.add(number);
    this.sendText(text);
  }

  /** Sends the text that was held back, without trailing white space. */
  finishText(): void {
    this.sendText(this.markers.end());
    this.splitter.discardPendingSpace();
  }

  /** Sends the citations, the last event of a complete answer. The stream stays open. */
  cite(citationsLine: string): void {
    this.isComplete = true;
    this.send({ data: citationsLine });
  }

  /** Ends the stream with an error event, or without one if the answer was complete. */
  fail(error: AnswerErrorEvent): void {
    if (!this.isComplete) this.send({ type: 'error', data: JSON.stringify(error) });
    this.end();
  }

  /** Ends the stream with an error event, unless the answer ends by itself within two seconds. */
  cutOff(error: AnswerErrorEvent): void {
    if (this.stream) this.stream.cutOff({ type: 'error', data: JSON.stringify(error) });
    else this.fail(error);
  }

  end(): void {
    this.ended = true;
    this.stream?.end();
  }

  private sendText(text: string): void {
    for (const data of this.splitter.push(text)) {
      this.text += data;
      this.send({ data });
    }
  }

  private send(event: ServerSentEvent): void {
    if (this.ended) return;
    if (this.stream) this.stream.send(event);
    else this.unsentEvents.push(event);
  }
}
