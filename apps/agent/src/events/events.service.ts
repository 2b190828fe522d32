import { HttpException, Inject, Injectable, type MessageEvent, NotFoundException } from '@nestjs/common';
import { type Caller } from '@inference/credentials';
import { inTransaction, SQL_POOL, type SqlPool } from '@inference/database';
import { DetailedException } from '@inference/http';
import { type Refusal } from '@inference/model-calls';
import { type Response } from 'express';
import { type Observable } from 'rxjs';
import { type Frame, startedFrame } from '../frames/frame';
import { stopping, TurnFeeds } from '../frames/turn-feeds';
import { noSuchSession } from '../sessions/sessions.service';
import { tokensOf } from '../turns/turn-log';
import { type TurnRun } from '../turns/turn-run';
import { TurnRunner } from '../turns/turn-runner';
import { type Accepted, acceptEvent, type Posting } from './acceptance';
import { EVENT_COLUMNS, type EventRow, type EventView, type TurnStatus, viewOf } from './event';
import { type EventBody, type EventsQuery, type PostQuery } from './event.dto';
import { ResumptionService } from './resumption.service';

interface PostedEvent {
  caller: Caller;
  sessionId: string;
  body: EventBody;
  query: PostQuery;
  idempotencyKey: string | null;
}

/** How long a stream's beginning is put off so that a refusal of the gateway can still be its status. */
const ADMISSION_MILLIS = 2_000;
const OWNED = 'SELECT FROM agent.sessions WHERE id = $1 AND account_id = $2';
/** So much on a page, however few events that are; the first one always. */
const PAGE_BYTES = 4 * 1024 * 1024;
const LIST = `
  SELECT ${EVENT_COLUMNS}, t.status AS turn_status FROM (
    SELECT *, sum(octet_length(content) + coalesce(octet_length(tool_calls::text), 0)
        + coalesce(octet_length(tool_call_results::text), 0)) OVER (ORDER BY seq) AS bytes,
      row_number() OVER (ORDER BY seq) AS position
    FROM (SELECT * FROM agent.events WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) page
  ) e JOIN agent.turns t ON t.id = e.turn_id
  WHERE e.bytes <= ${PAGE_BYTES} OR e.position = 1 ORDER BY e.seq`;
const IS_MORE = 'SELECT FROM agent.sessions WHERE id = $1 AND last_seq > $2';
const FIND = `
  SELECT ${EVENT_COLUMNS}, t.status AS turn_status
  FROM agent.events e JOIN agent.turns t ON t.id = e.turn_id JOIN agent.sessions s ON s.id = e.session_id
  WHERE e.session_id = $1 AND s.account_id = $2 AND e.id = $3`;
const REPLAYED = 'Idempotent-Replayed';

@Injectable()
export class EventsService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly runner: TurnRunner,
    private readonly feeds: TurnFeeds,
    private readonly resumptions: ResumptionService,
  ) {}

  /** Keeps the event and answers at once; its turn runs on in the background. */
  async post(posted: PostedEvent, response: Response): Promise<EventView> {
    const { event, turn, replayed } = await this.accept(posted, false);
    if (replayed) response.setHeader(REPLAYED, 'true');
    return viewOf(event, turn.status);
  }

  /** Keeps the event and streams the answer; what can be refused is refused before the stream begins. */
  async stream(posted: PostedEvent, response: Response): Promise<Observable<MessageEvent>> {
    if (this.feeds.isHandingOver) throw stopping();
    if (!this.runner.hasRoom) throw busyReplica();
    const { event, turn, afterFrame, replayed, claimed } = await this.accept(posted, true);
    if (replayed) {
      response.setHeader(REPLAYED, 'true');
      await this.resumptions.requireFrames(turn.id);
    }
    if (!claimed) return this.feeds.follow(turn, afterFrame, response);
    // Results of tools are kept whatever becomes of the call: they are not to be sent again.
    const run = this.runner.start(claimed, event.role === 'user' ? event.id : undefined);
    const refusal = await admissionOf(run);
    if (refusal) throw refusedBy(refusal, turn.id);
    run.onStreamed();
    if (run.lost) await this.resumptions.requireTurn(turn.id);
    return this.feeds.follow(turn, afterFrame, response, () => framesBefore(run));
  }

  /** At most so many, and fewer when they are large; `has_more`: there are events beyond these. */
  async list({ accountId }: Caller, sessionId: string, { after, limit }: EventsQuery) {
    if ((await this.pool.query(OWNED, [sessionId, accountId])).rowCount === 0) throw noSuchSession();
    const values = [sessionId, after, limit];
    const { rows } = await this.pool.query<EventRow & { turn_status: TurnStatus }>(LIST, values);
    const last = rows.at(-1)?.seq;
    const isMore = last !== undefined && (await this.pool.query(IS_MORE, [sessionId, last])).rowCount === 1;
    return { events: rows.map((row) => viewOf(row, row.turn_status)), has_more: isMore };
  }

  async find({ accountId }: Caller, sessionId: string, eventId: string): Promise<EventView> {
    const values = [sessionId, accountId, eventId];
    const { rows } = await this.pool.query<EventRow & { turn_status: TurnStatus }>(FIND, values);
    if (!rows[0]) throw new NotFoundException('there is no such event');
    return viewOf(rows[0], rows[0].turn_status);
  }

  private async accept({ query, ...posted }: PostedEvent, streams: boolean): Promise<Accepted> {
    const { caller, body } = posted;
    if (!caller.apiKey) throw new Error('An event was posted without an API key.');
    const posting: Posting = {
      ...posted,
      caller: { ...caller, apiKey: caller.apiKey },
      onBusy: query.on_busy,
      tokens: tokensOf(body.content ?? null, ...(body.tool_call_results ?? []).map(({ content }) => content)),
      runHere: streams ? this.runner.replicaId : null,
    };
    return inTransaction(this.pool, (sql) => acceptEvent(sql, posting));
  }
}

/** What a turn's stream holds before the model has said anything; null when it has. */
function framesBefore({ frame, turn }: TurnRun): Frame[] | null {
  if (frame > turn.callFrame) return null;
  return turn.callFrame === 1 ? [startedFrame(turn.id)] : [];
}

/** Null when the gateway has taken the call, or is not through with it yet. */
async function admissionOf(run: TurnRun): Promise<Refusal | null> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<null>(
    (resolve) => (timer = setTimeout(() => resolve(null), ADMISSION_MILLIS)),
  );
  return Promise.race([run.admission, patience]).finally(() => clearTimeout(timer));
}

function refusedBy({ status, message, code, retryAfter }: Refusal, turnId: string): HttpException {
  const headers = retryAfter === undefined ? undefined : { 'Retry-After': retryAfter };
  return new DetailedException(status, message, { code, turn_id: turnId }, headers);
}

const busyReplica = () =>
  new DetailedException(503, 'too many turns run now', { code: 'overloaded' }, { 'Retry-After': '1' });
