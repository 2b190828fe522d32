import { Inject, Injectable, Logger, type MessageEvent } from '@nestjs/common';
import { NotificationChannel } from '@inference/database';
import { DetailedException, Metrics } from '@inference/http';
import { type Response } from 'express';
import { Gauge } from 'prom-client';
import { Observable } from 'rxjs';
import { AGENT_CONFIG, type AgentConfig } from '../config';
import { type Frame } from './frame';
import { FrameStore } from './frame-store';
import { StreamFollower } from './stream-follower';

// Channels of notifications, whose payload is a turn's id.

/** Frames were added otherwise than by the process that runs the turn. */
export const TURN_CHANGED = 'agent_turn_changed';
/** The turn was ended otherwise than by the process that runs it. */
export const TURN_ENDED = 'agent_turn_ended';
/** The turn is no more. */
export const TURN_DELETED = 'agent_turn_deleted';

/** Another replica is there for it. */
export const stopping = () =>
  new DetailedException(
    503,
    'this process is about to stop',
    { code: 'stopping' },
    { 'Retry-After': '1', Connection: 'close' },
  );

/** How often the turns that other processes run are looked at for their readers here. */
const POLL_MILLIS = 100;
const POLLS_PER_SEARCH = 50;

/**
 * Brings the frames of turns to their readers. Those of a turn that runs here come from its runner as soon as they are
 * written; the turns of other processes are looked up together, all in one query.
 */
@Injectable()
export class TurnFeeds {
  private readonly logger = new Logger(TurnFeeds.name);
  private readonly followers = new Map<string, Set<StreamFollower>>();
  /** The turns that run here: their runner offers what it writes. */
  private readonly local = new Set<string>();
  private readonly streams: Gauge;
  /** The responses that have not come to their end on the wire. */
  private readonly open = new Set<Response>();
  private timer: NodeJS.Timeout | undefined;
  private handingOver = false;
  private polls = 0;

  constructor(
    private readonly frames: FrameStore,
    @Inject(AGENT_CONFIG) private readonly config: AgentConfig,
    channel: NotificationChannel,
    metrics: Metrics,
  ) {
    for (const change of [TURN_CHANGED, TURN_ENDED]) channel.on(change, (turnId) => this.refresh(turnId));
    channel.on(TURN_DELETED, (turnId) => this.end(turnId));
    this.streams = new Gauge({
      name: 'agent_streams',
      help: 'Event streams that are open.',
      registers: [metrics.registry],
    });
  }

  get isHandingOver(): boolean {
    return this.handingOver;
  }

  get isFollowed(): boolean {
    return this.followers.size > 0;
  }

  /**
   * The stream of a turn from a position on, to its next boundary. 503 for a turn that runs elsewhere when this process
   * stops.
   * @param written the frames behind the position, when they are known to be all; null reads them
   */
  follow(
    turn: { id: string; number: number },
    after: number,
    response: Response,
    written: () => Frame[] | null = () => null,
  ): Observable<MessageEvent> {
    if (this.handingOver && !this.local.has(turn.id)) throw stopping();
    this.open.add(response);
    response.once('close', () => this.open.delete(response));
    return new Observable((subscriber) => {
      const follower = new StreamFollower(subscriber, {
        turn,
        after,
        response,
        stallMillis: this.config.CLIENT_STALL_TIMEOUT_SECONDS * 1000,
        heartbeatMillis: this.config.HEARTBEAT_SECONDS * 1000,
        read: (turnId, cursor) => this.frames.read(turnId, cursor),
      });
      this.attach(follower, written());
      return () => this.detach(follower);
    });
  }

  /** The turn runs here from now on. */
  startLocal(turnId: string): void {
    this.local.add(turnId);
  }

  /** The turn runs here no more; whoever is not at its end yet is served as if it had run elsewhere. */
  endLocal(turnId: string): void {
    this.local.delete(turnId);
    if (this.handingOver) this.endUnlessLocal(turnId);
    else this.poll();
  }

  /** Frames that were just written, in their order. */
  publish(turnId: string, frames: Frame[]): void {
    if (frames.length === 0) return;
    for (const follower of this.followers.get(turnId) ?? []) follower.offer(frames);
  }

  /** The process stops: readers of what runs elsewhere resume elsewhere, those of what runs here are kept for now. */
  handOver(): void {
    this.handingOver = true;
    for (const turnId of this.followers.keys()) this.endUnlessLocal(turnId);
  }

  endAll(): void {
    for (const turnId of this.followers.keys()) this.end(turnId);
  }

  /** Of those that do not take the end of their stream. */
  dropAll(): void {
    for (const response of this.open) response.destroy();
  }

  private endUnlessLocal(turnId: string): void {
    if (!this.local.has(turnId)) this.end(turnId);
  }

  private end(turnId: string): void {
    for (const follower of this.followers.get(turnId) ?? []) follower.end();
  }

  private refresh(turnId: string): void {
    for (const follower of this.followers.get(turnId) ?? []) void follower.catchUp();
  }

  private attach(follower: StreamFollower, written: Frame[] | null): void {
    const followers = this.followers.get(follower.turnId);
    if (followers) followers.add(follower);
    else this.followers.set(follower.turnId, new Set([follower]));
    this.streams.inc();
    if (this.handingOver) this.endUnlessLocal(follower.turnId);
    if (written) follower.goLive(written);
    else void follower.catchUp();
    this.poll();
  }

  private detach(follower: StreamFollower): void {
    const followers = this.followers.get(follower.turnId);
    followers?.delete(follower);
    if (followers?.size === 0) this.followers.delete(follower.turnId);
    this.streams.dec();
    follower.detach();
  }

  /** Looks again and again, as long as anybody here reads what runs elsewhere. */
  private poll(): void {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      void this.lookUp()
        .catch((error: Error) =>
          this.logger.debug(`The frames of turns were not to be read: ${error.message}`),
        )
        .then((isNeeded) => {
          this.timer = undefined;
          if (isNeeded !== false) this.poll();
        });
    }, POLL_MILLIS);
    this.timer.unref();
  }

  /** False when nobody needs it. */
  private async lookUp(): Promise<boolean> {
    const remote = [...this.followers.keys()].filter((turnId) => !this.local.has(turnId));
    if (remote.length === 0) return false;
    const cursors = remote.flatMap((turnId): [string, number][] => {
      const live = [...this.followers.get(turnId)!].flatMap(({ cursor }) => cursor ?? []);
      return live.length === 0 ? [] : [[turnId, Math.min(...live)]];
    });
    for (const [turnId, frames] of await this.frames.readMany(cursors)) this.publish(turnId, frames);
    // Their deletion may have gone unheard.
    if (++this.polls % POLLS_PER_SEARCH === 0)
      for (const turnId of await this.frames.findGone(remote)) this.end(turnId);
    return true;
  }
}
