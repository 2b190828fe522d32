import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { Database, NotificationChannel } from '@inference/database';
import { type Caller, Suspensions } from '@inference/guards';
import { Metrics, UnavailableException } from '@inference/http';
import { accountSuspended, keyGone, type Refusal } from '@inference/model-calls';
import { eventStream, type EventStream } from '@inference/sse';
import { Inject, Injectable, Logger, type MessageEvent } from '@nestjs/common';
import { type Response } from 'express';
import { Gauge } from 'prom-client';
import { type Observable } from 'rxjs';
import { endsResponse, type StreamEvent, toServerSentEvent } from './stream-event';
import {
  findDeletedTurns,
  readStreamEvents,
  readStreamEventsOfTurns,
  TURN_CHANGED,
  TURN_DELETED,
  TURN_ENDED,
} from './stream-events.repository';
import { STREAMS_CONFIG, type StreamsConfig } from './streams.config';

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
class StreamSubscriber {
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

  /** Ends the response with an error that is not stored, unless the turn fails first. */
  shutOut({ message: error, code, retryable }: Refusal): void {
    this.stream.cutOff({ type: 'error', data: JSON.stringify({ error, code, retryable }) });
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

/** The client is to retry at another replica. */
export const shuttingDownError = () =>
  new UnavailableException('this process is about to stop', 'stopping', { Connection: 'close' });

/** How long an EventSource waits before it resumes. */
const RETRY_MILLIS = 1_000;
/** How often the events of turns that other replicas run are read. */
const POLL_MILLIS = 100;
/** Number of polls between two searches for deleted turns, which are necessary because a notification can be lost. */
const POLLS_PER_DELETED_SEARCH = 50;

/**
 * Delivers the stream events of turns to their clients. A turn that runs in this process publishes its events as soon as they
 * are stored; the events of all other turns are read from the database in one query.
 */
@Injectable()
export class StreamHub {
  private readonly logger = new Logger(StreamHub.name);
  private readonly subscribers = new Map<string, Set<StreamSubscriber>>();
  /** Ids of the turns that run in this process. */
  private readonly local = new Set<string>();
  private readonly openStreams: Gauge;
  /** Responses whose end has not been sent yet. */
  private readonly openResponses = new Set<Response>();
  private timer: NodeJS.Timeout | undefined;
  private shuttingDown = false;
  private polls = 0;

  constructor(
    private readonly database: Database,
    @Inject(STREAMS_CONFIG) private readonly config: StreamsConfig,
    private readonly suspensions: Suspensions,
    channel: NotificationChannel,
    metrics: Metrics,
  ) {
    for (const change of [TURN_CHANGED, TURN_ENDED]) channel.on(change, (turnId) => this.refresh(turnId));
    channel.on(TURN_DELETED, (turnId) => this.end(turnId));
    this.openStreams = new Gauge({
      name: 'agent_streams',
      help: 'Event streams that are open.',
      registers: [metrics.registry],
    });
  }

  get isShuttingDown(): boolean {
    return this.shuttingDown;
  }

  get hasSubscribers(): boolean {
    return this.subscribers.size > 0;
  }

  /**
   * Returns the stream of a turn after a position, up to the event that ends the response. Throws 503 for a turn of another
   * replica while this process shuts down.
   * @param caller if it is suspended, the stream ends
   * @param after number of the last event that the client has
   * @param stored returns all events after the position, or null if they have to be read
   */
  open(
    caller: Caller,
    turn: { id: string; number: number },
    after: number,
    response: Response,
    stored: () => StreamEvent[] | null = () => null,
  ): Observable<MessageEvent> {
    if (this.shuttingDown && !this.local.has(turn.id)) throw shuttingDownError();
    this.openResponses.add(response);
    response.once('close', () => this.openResponses.delete(response));
    const options = {
      heartbeatMillis: this.config.heartbeatMillis,
      stallMillis: this.config.clientStallMillis,
      retryMillis: RETRY_MILLIS,
    };
    const read = (turnId: string, cursor: number) => readStreamEvents(this.database, turnId, cursor);
    return eventStream(response, options, (stream) => {
      const subscriber = new StreamSubscriber(stream, { turn, after, read });
      this.attach(subscriber, stored());
      const unwatch = this.suspensions.watch(caller, (suspended) =>
        subscriber.shutOut(suspended === 'account' ? accountSuspended() : keyGone()),
      );
      return () => {
        unwatch();
        this.detach(subscriber);
      };
    });
  }

  /** The turn runs in this process from now on. */
  startLocal(turnId: string): void {
    this.local.add(turnId);
  }

  /** The turn does not run in this process any more. Clients that have not reached its end are served from the database. */
  endLocal(turnId: string): void {
    this.local.delete(turnId);
    if (this.shuttingDown) this.endUnlessLocal(turnId);
    else this.poll();
  }

  /** Delivers events that were just stored, in their order. */
  publish(turnId: string, events: StreamEvent[]): void {
    if (events.length === 0) return;
    for (const subscriber of this.subscribers.get(turnId) ?? []) subscriber.deliver(events);
  }

  /** Ends the streams of turns that run in other replicas, where clients resume; those of turns that run here stay open. */
  beginShutdown(): void {
    this.shuttingDown = true;
    for (const turnId of this.subscribers.keys()) this.endUnlessLocal(turnId);
  }

  endAll(): void {
    for (const turnId of this.subscribers.keys()) this.end(turnId);
  }

  /** Disconnects clients that have not taken the end of their stream. */
  disconnectAll(): void {
    for (const response of this.openResponses) response.destroy();
  }

  private endUnlessLocal(turnId: string): void {
    if (!this.local.has(turnId)) this.end(turnId);
  }

  private end(turnId: string): void {
    for (const subscriber of this.subscribers.get(turnId) ?? []) subscriber.end();
  }

  private refresh(turnId: string): void {
    for (const subscriber of this.subscribers.get(turnId) ?? []) void subscriber.catchUp();
  }

  private attach(subscriber: StreamSubscriber, stored: StreamEvent[] | null): void {
    const subscribers = this.subscribers.get(subscriber.turnId);
    if (subscribers) subscribers.add(subscriber);
    else this.subscribers.set(subscriber.turnId, new Set([subscriber]));
    this.openStreams.inc();
    if (this.shuttingDown) this.endUnlessLocal(subscriber.turnId);
    if (stored) subscriber.goLive(stored);
    else void subscriber.catchUp();
    this.poll();
  }

  private detach(subscriber: StreamSubscriber): void {
    const subscribers = this.subscribers.get(subscriber.turnId);
    subscribers?.delete(subscriber);
    if (subscribers?.size === 0) this.subscribers.delete(subscriber.turnId);
    this.openStreams.dec();
  }

  /** Repeats while a client of this process reads a turn that runs elsewhere. */
  private poll(): void {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      void this.deliverRemote()
        .catch((error: Error) => this.logger.debug(`Stream events could not be read: ${error.message}`))
        .then((isNeeded) => {
          this.timer = undefined;
          if (isNeeded !== false) this.poll();
        });
    }, POLL_MILLIS);
    this.timer.unref();
  }

  /** Returns false if no client needs another poll. */
  private async deliverRemote(): Promise<boolean> {
    const remote = [...this.subscribers.keys()].filter((turnId) => !this.local.has(turnId));
    if (remote.length === 0) return false;
    const cursors = remote.flatMap((turnId): [string, number][] => {
      const live = [...this.subscribers.get(turnId)!].flatMap(({ cursor }) => cursor ?? []);
      return live.length === 0 ? [] : [[turnId, Math.min(...live)]];
    });
    const eventsOfTurns = await readStreamEventsOfTurns(this.database, cursors);
    for (const [turnId, events] of eventsOfTurns) this.publish(turnId, events);
    // The notification of a deletion may have been lost.
    if (++this.polls % POLLS_PER_DELETED_SEARCH === 0)
      for (const turnId of await findDeletedTurns(this.database, remote)) this.end(turnId);
    return true;
  }
}
