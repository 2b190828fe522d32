import { BadRequestException, GoneException, Inject, Injectable, type MessageEvent } from '@nestjs/common';
import { type Caller } from '@inference/credentials';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type Response } from 'express';
import { EMPTY, type Observable } from 'rxjs';
import { parsePosition, type Position } from '../frames/frame';
import { TurnFeeds } from '../frames/turn-feeds';
import { noSuchSession } from '../sessions/sessions.service';

interface TurnRow {
  id: string;
  number: number;
  isOpen: boolean;
  lastFrame: number;
}

const OWNED = 'SELECT FROM agent.sessions WHERE id = $1 AND account_id = $2';
const COLUMNS = `t.id, t.number, t.ended_at IS NULL AS "isOpen",
  (SELECT coalesce(max(n), 0) FROM agent.frames f WHERE f.turn_id = t.id) AS "lastFrame"`;
const CURRENT = `
  SELECT ${COLUMNS} FROM agent.turns t WHERE session_id = $1
  ORDER BY (ended_at IS NULL) DESC, CASE WHEN ended_at IS NULL THEN number ELSE -number END LIMIT 1`;
const NUMBERED = `
  SELECT ${COLUMNS} FROM agent.turns t WHERE session_id = $1 AND number IN ($2, $2 + 1) ORDER BY number`;

const ONE = `SELECT ${COLUMNS} FROM agent.turns t WHERE id = $1`;

const isGone = ({ isOpen, lastFrame }: TurnRow) => !isOpen && lastFrame === 0;
const noLongerKept = () => new GoneException('the frames of this turn are not kept any more');
const neverWas = () => new BadRequestException('Last-Event-ID or after: the session has no such position');

/** Where a reader that comes (back) to a session's streams goes on. */
@Injectable()
export class ResumptionService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly feeds: TurnFeeds,
  ) {}

  /**
   * What follows the frame `after` in its turn; after the turn's last one, the next turn. Without a position the first open
   * turn, else the latest. 204 when nothing is there and nothing will come: an EventSource then stops. 410 for frames that
   * are not kept any more.
   */
  async resume(caller: Caller, sessionId: string, after: string | undefined, response: Response) {
    if ((await this.pool.query(OWNED, [sessionId, caller.accountId])).rowCount === 0) throw noSuchSession();
    const found =
      after === undefined ? await this.current(sessionId) : await this.next(sessionId, positionOf(after));
    if (found) return this.feeds.follow(found.turn, found.after, response);
    // Nothing is written to a response that has ended.
    response.status(204).end();
    return EMPTY as Observable<MessageEvent>;
  }

  /** 404 for a turn that was deleted meanwhile. */
  async requireTurn(turnId: string): Promise<TurnRow> {
    const { rows } = await this.pool.query<TurnRow>(ONE, [turnId]);
    if (!rows[0]) throw noSuchSession();
    return rows[0];
  }

  /** 410 for a turn whose frames are not kept any more. */
  async requireFrames(turnId: string): Promise<void> {
    if (isGone(await this.requireTurn(turnId))) throw noLongerKept();
  }

  private async current(sessionId: string) {
    const { rows } = await this.pool.query<TurnRow>(CURRENT, [sessionId]);
    const turn = rows[0];
    return turn && !isGone(turn) ? { turn, after: 0 } : null;
  }

  private async next(sessionId: string, position: Position) {
    const { rows } = await this.pool.query<TurnRow>(NUMBERED, [sessionId, position.turn]);
    const [turn, following] = rows;
    if (turn?.number !== position.turn) throw neverWas();
    if (isGone(turn)) throw noLongerKept();
    if (position.n > turn.lastFrame) throw neverWas();
    if (turn.isOpen || position.n < turn.lastFrame) return { turn, after: position.n };
    if (following && isGone(following)) throw noLongerKept();
    return following ? { turn: following, after: 0 } : null;
  }
}

function positionOf(text: string): Position {
  const position = parsePosition(text);
  if (!position)
    throw new BadRequestException('Last-Event-ID or after: must be the id of a frame, such as 3.17');
  return position;
}
