import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { type EventStream } from '@inference/sse';
import { endsResponse, type StreamEvent, toServerSentEvent } from './stream-events/stream-event';

/** After so many characters the socket is given time, so that a slow client does not fill the memory. */
const BURST_CHARS = 32_768;
const DATABASE_RETRY_MILLIS = 500;

interface SubscriberOptions {
  turn: { id: string; number: number };
  /** Number of the last event that the client has. */
  after: number;
  /** Reads the next events of the turn from the database. */
  read(turnId: string, after: number): Promise<StreamEvent[]>;
}

/**
 * One client of one turn's stream. It holds a cursor and no events: a client that keeps up receives events as they are
 * stored; a client that is behind receives them from the database at its own pace.
 */
export class StreamSubscriber {
  private sent: number;
  /** Delivered events are sent directly; otherwise they are read from the database. */
  private live = false;
  private catchingUp = false;
  /** Events were delivered while the subscriber was not live. */
  private missed = false;

  constructor(
    private readonly stream: EventStream,
    private readonly options: SubscriberOptions,
  ) {
    this.sent = options.after;
  }

  get turnId(): string {
    return this.options.turn.id;
  }

  /** Number of the last event that was sent; undefined while the subscriber reads from the database itself. */
  get cursor(): number | undefined {
    return this.live ? this.sent : undefined;
  }

  /** Sends these events, which are all that exist so far. Later events arrive through `deliver`. */
  goLive(events: StreamEvent[]): void {
    this.live = true;
    for (const event of events) this.send(event);
  }

  /** Takes events of the turn that were just stored, in their order. */
  deliver(events: StreamEvent[]): void {
    if (this.live && !this.stream.isBackedUp && events[0]!.n <= this.sent + 1) {
      for (const event of events) if (event.n > this.sent && !this.stream.isClosed) this.send(event);
    } else {
      this.missed = true;
      void this.catchUp();
    }
  }

  /** Reads from the database until everything that exists is sent. */
  async catchUp(): Promise<void> {
    this.live = false;
    if (this.catchingUp) return;
    this.catchingUp = true;
    while (!this.stream.isClosed && !this.live) {
      this.missed = false;
      try {
        if (!(await this.stream.drained())) break;
        const events = await this.options.read(this.turnId, this.sent);
        await this.sendAll(events);
        if (events.length === 0 && !this.missed) this.live = true;
      } catch {
        // The database is unavailable; the client waits.
        await sleep(DATABASE_RETRY_MILLIS);
      }
    }
    this.catchingUp = false;
  }

  /** Ends the response; the client can resume. */
  end(): void {
    this.stream.end();
  }

  private async sendAll(events: StreamEvent[]): Promise<void> {
    let chars = 0;
    for (const event of events) {
      if (this.stream.isClosed) return;
      this.send(event);
      chars += event.data.length;
      if (chars < BURST_CHARS) continue;
      chars = 0;
      await nextTick();
      if (!(await this.stream.drained())) return;
    }
  }

  private send(event: StreamEvent): void {
    this.sent = event.n;
    this.stream.send(toServerSentEvent(this.options.turn.number, event));
    if (endsResponse(event)) this.stream.end();
  }
}
