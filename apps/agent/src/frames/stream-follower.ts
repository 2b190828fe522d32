import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { type MessageEvent } from '@nestjs/common';
import { drained } from '@inference/http';
import { type Response } from 'express';
import { type Subscriber } from 'rxjs';
import { type Frame, isBoundary, messageOf } from './frame';

/** What a browser waits before it resumes. */
const RETRY_MILLIS = 1_000;
/** After so much the socket gets its turn, so that a reader that is behind does not fill the memory. */
const BURST_CHARS = 32_768;
const DATABASE_RETRY_MILLIS = 500;

interface FollowerOptions {
  turn: { id: string; number: number };
  /** The last frame that the client has. */
  after: number;
  response: Response;
  stallMillis: number;
  heartbeatMillis: number;
  /** The next frames of the turn, from the database. */
  read(turnId: string, after: number): Promise<Frame[]>;
}

/**
 * One reader of one turn. It keeps no frames, only a cursor: while the reader is quick, frames go straight through as
 * they are written; one that is behind gets them from the database at its own pace.
 */
export class StreamFollower {
  private readonly heartbeat: NodeJS.Timeout;
  private sent: number;
  /** Frames that are offered may be sent on; otherwise they are read from the database. */
  private live = false;
  private catchingUp = false;
  /** Something was offered while it was not live. */
  private missed = false;
  private greeted = false;

  constructor(
    private readonly subscriber: Subscriber<MessageEvent>,
    private readonly options: FollowerOptions,
  ) {
    this.sent = options.after;
    this.heartbeat = setInterval(() => this.beat(), options.heartbeatMillis);
  }

  get turnId(): string {
    return this.options.turn.id;
  }

  /** The last frame it has sent; undefined while it reads from the database anyway. */
  get cursor(): number | undefined {
    return this.live ? this.sent : undefined;
  }

  /** Begins with these frames, which are all that there are so far; what is written next will be offered. */
  goLive(frames: Frame[]): void {
    this.live = true;
    for (const frame of frames) this.send(frame);
  }

  /** Frames of the turn that were just written, in their order. */
  offer(frames: Frame[]): void {
    if (this.live && !this.options.response.writableNeedDrain && frames[0]!.n <= this.sent + 1) {
      for (const frame of frames) if (frame.n > this.sent && !this.subscriber.closed) this.send(frame);
    } else {
      this.missed = true;
      void this.catchUp();
    }
  }

  /** Reads from the database until it has all there is. */
  async catchUp(): Promise<void> {
    this.live = false;
    if (this.catchingUp) return;
    this.catchingUp = true;
    while (!this.subscriber.closed && !this.live) {
      this.missed = false;
      try {
        if (!(await drained(this.options.response, this.options.stallMillis))) break;
        const frames = await this.options.read(this.turnId, this.sent);
        await this.sendAll(frames);
        if (frames.length === 0 && !this.missed) this.live = true;
      } catch {
        // The database is away; the reader waits for it with us.
        await sleep(DATABASE_RETRY_MILLIS);
      }
    }
    this.catchingUp = false;
  }

  /** Ends the response; the reader can resume elsewhere. */
  end(): void {
    this.subscriber.complete();
  }

  /** Nothing more will be sent; what was may still have to be taken. */
  detach(): void {
    clearInterval(this.heartbeat);
    const { response, stallMillis } = this.options;
    const timeout = setTimeout(() => response.destroy(), stallMillis);
    response.once('close', () => clearTimeout(timeout));
    if (response.closed) clearTimeout(timeout);
  }

  private async sendAll(frames: Frame[]): Promise<void> {
    const { response, stallMillis } = this.options;
    let chars = 0;
    for (const frame of frames) {
      if (this.subscriber.closed) return;
      this.send(frame);
      chars += frame.data.length;
      if (chars < BURST_CHARS) continue;
      chars = 0;
      await nextTick();
      if (!(await drained(response, stallMillis))) return;
    }
  }

  private send(frame: Frame): void {
    this.sent = frame.n;
    this.heartbeat.refresh();
    const message = messageOf(this.options.turn.number, frame);
    if (!this.greeted) message.retry = RETRY_MILLIS;
    this.greeted = true;
    this.subscriber.next(message);
    if (isBoundary(frame)) this.subscriber.complete();
  }

  private beat(): void {
    if (!this.options.response.writableNeedDrain) this.subscriber.next({ comment: '' } as MessageEvent);
  }
}
