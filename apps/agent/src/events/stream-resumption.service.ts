import { BadRequestException, GoneException, Injectable, type MessageEvent } from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { Database } from '@inference/database';
import { type Response } from 'express';
import { EMPTY, type Observable } from 'rxjs';
import { noSuchSession, requireSession } from '../sessions/session-lock';
import { type StreamPosition } from '../streams/stream-event';
import { StreamHub } from '../streams/stream-hub';

interface TurnRow {
  id: string;
  number: number;
  isOpen: boolean;
  /** Number of the last stream event that is stored; 0 if there is none. */
  lastPosition: number;
}

const TURN_COLUMNS = `t.id, t.number, t.ended_at IS NULL AS "isOpen",
  (SELECT coalesce(max(n), 0) FROM agent.stream_events e WHERE e.turn_id = t.id) AS "lastPosition"`;
const CURRENT_TURN = `
  SELECT ${TURN_COLUMNS} FROM agent.turns t WHERE session_id = $1
  ORDER BY (ended_at IS NULL) DESC, CASE WHEN ended_at IS NULL THEN number ELSE -number END LIMIT 1`;
const TURN_AND_NEXT = `
  SELECT ${TURN_COLUMNS} FROM agent.turns t WHERE session_id = $1 AND number IN ($2, $2 + 1) ORDER BY number`;
const TURN = `SELECT ${TURN_COLUMNS} FROM agent.turns t WHERE id = $1`;

const isExpired = ({ isOpen, lastPosition }: TurnRow) => !isOpen && lastPosition === 0;
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
    const sessionId = await requireSession(this.database, publicId, caller.accountId);
    const found = after === undefined ? await this.current(sessionId) : await this.next(sessionId, after);
    if (found) return this.hub.open(found.turn, found.after, response);
    // Nest writes nothing to a response that has ended.
    response.status(204).end();
    return EMPTY;
  }

  /** Throws 404 if the turn was deleted. */
  async requireTurn(turnId: string): Promise<TurnRow> {
    const { rows } = await this.database.query<TurnRow>(TURN, [turnId]);
    if (!rows[0]) throw noSuchSession();
    return rows[0];
  }

  /** Throws 410 if the stream events of the turn are not stored any more. */
  async requireStreamEvents(turnId: string): Promise<void> {
    if (isExpired(await this.requireTurn(turnId))) throw expiredError();
  }

  private async current(sessionId: string) {
    const { rows } = await this.database.query<TurnRow>(CURRENT_TURN, [sessionId]);
    const turn = rows[0];
    return turn && !isExpired(turn) ? { turn, after: 0 } : null;
  }

  private async next(sessionId: string, position: StreamPosition) {
    const { rows } = await this.database.query<TurnRow>(TURN_AND_NEXT, [sessionId, position.turn]);
    const [turn, following] = rows;
    if (turn?.number !== position.turn) throw unknownPositionError();
    if (isExpired(turn)) throw expiredError();
    if (position.n > turn.lastPosition) throw unknownPositionError();
    if (turn.isOpen || position.n < turn.lastPosition) return { turn, after: position.n };
    if (following && isExpired(following)) throw expiredError();
    return following ? { turn: following, after: 0 } : null;
  }
}
