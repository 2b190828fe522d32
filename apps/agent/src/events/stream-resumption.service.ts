import { BadRequestException, GoneException, Injectable, type MessageEvent } from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { Database } from '@inference/database';
import { type Response } from 'express';
import { EMPTY, type Observable } from 'rxjs';
import { noSuchSession, requireSession } from '../sessions/session-lock';
import { type StreamPosition } from '../streams/stream-event';
import { StreamHub } from '../streams/stream-hub';
import {
  findCurrentStreamedTurn,
  findStreamedTurn,
  findStreamedTurnAndNext,
  type StreamedTurn,
} from '../turns/turns.repository';

const isExpired = ({ endedAt, lastPosition }: StreamedTurn) => endedAt !== null && lastPosition === 0;
const expiredError = () => new GoneException('the stream of this turn is not stored any more');
const unknownPositionError = () =>
  new BadRequestException('Last-Event-ID or after: the session has no such position');

/** Finds where a client continues the streams of a session. */
@Injectable()
export class StreamResumptionService {
  constructor(
    private readonly database: Database,
    private readonly hub: StreamHub,
  ) {}

  /**
   * Streams what follows the position `after` in its turn, or the next turn if the position is the end of its turn. Without a
   * position: the first open turn, otherwise the latest. Answers 204 if nothing follows, which stops an EventSource. Throws 410
   * if the stream events are not stored any more.
   */
  async resume(
    caller: Caller,
    publicId: string,
    after: StreamPosition | undefined,
    response: Response,
  ): Promise<Observable<MessageEvent>> {
    const sessionId = await requireSession(this.database, publicId, caller);
    const found = after === undefined ? await this.current(sessionId) : await this.next(sessionId, after);
    if (found) return this.hub.open(caller, found.turn, found.after, response);
    // Nest writes nothing to a response that has ended.
    response.status(204).end();
    return EMPTY;
  }

  /** Throws 404 if the turn was deleted. */
  async requireTurn(turnId: string): Promise<StreamedTurn> {
    const turn = await findStreamedTurn(this.database, turnId);
    if (!turn) throw noSuchSession();
    return turn;
  }

  /** Throws 410 if the stream events of the turn are not stored any more. */
  async requireStreamEvents(turnId: string): Promise<void> {
    if (isExpired(await this.requireTurn(turnId))) throw expiredError();
  }

  private async current(sessionId: string) {
    const turn = await findCurrentStreamedTurn(this.database, sessionId);
    return turn && !isExpired(turn) ? { turn, after: 0 } : null;
  }

  private async next(sessionId: string, position: StreamPosition) {
    const [turn, following] = await findStreamedTurnAndNext(this.database, sessionId, position.turn);
    if (turn?.number !== position.turn) throw unknownPositionError();
    if (isExpired(turn)) throw expiredError();
    if (position.n > turn.lastPosition) throw unknownPositionError();
    if (turn.endedAt === null || position.n < turn.lastPosition) return { turn, after: position.n };
    if (following && isExpired(following)) throw expiredError();
    return following ? { turn: following, after: 0 } : null;
  }
}
