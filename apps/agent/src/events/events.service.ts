import { Injectable, NotFoundException } from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { Database } from '@inference/database';
import { EVENT_COLUMNS, type EventRow } from '../session-log/session-event';
import { requireSession } from '../sessions/session-lock';
import { type TurnStatus } from '../turns/turn';
import { type EventsQuery } from './event.dto';
import { type EventListResponse, type EventResponse, toEventResponse } from './event.response';

/** Limits the size of a page of events, whose first event is always included. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const LIST = `
  SELECT ${EVENT_COLUMNS}, t.status AS turn_status FROM (
    SELECT *, sum(octet_length(content) + coalesce(octet_length(tool_calls::text), 0)
        + coalesce(octet_length(tool_call_results::text), 0)) OVER (ORDER BY seq) AS bytes,
      row_number() OVER (ORDER BY seq) AS position
    FROM (SELECT * FROM agent.events WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) page
  ) e JOIN agent.turns t ON t.id = e.turn_id
  WHERE e.bytes <= ${MAX_PAGE_BYTES} OR e.position = 1 ORDER BY e.seq`;
const HAS_MORE = 'SELECT FROM agent.sessions WHERE id = $1 AND last_seq > $2';
const FIND = `
  SELECT ${EVENT_COLUMNS}, t.status AS turn_status
  FROM agent.events e JOIN agent.turns t ON t.id = e.turn_id JOIN agent.sessions s ON s.id = e.session_id
  WHERE s.public_id = $1 AND s.account_id = $2 AND e.id = $3`;

/** Reads the events of a session. */
@Injectable()
export class EventsService {
  constructor(private readonly database: Database) {}

  /** Returns fewer events than `limit` if they are large. */
  async list(
    { accountId }: Caller,
    publicId: string,
    { after, limit }: EventsQuery,
  ): Promise<EventListResponse> {
    const sessionId = await requireSession(this.database, publicId, accountId);
    const values = [sessionId, after, limit];
    const { rows } = await this.database.query<EventRow & { turn_status: TurnStatus }>(LIST, values);
    const last = rows.at(-1)?.seq;
    const hasMore =
      last !== undefined && (await this.database.query(HAS_MORE, [sessionId, last])).rowCount === 1;
    return { events: rows.map((row) => toEventResponse(publicId, row, row.turn_status)), has_more: hasMore };
  }

  async find({ accountId }: Caller, publicId: string, eventId: string): Promise<EventResponse> {
    const values = [publicId, accountId, eventId];
    const { rows } = await this.database.query<EventRow & { turn_status: TurnStatus }>(FIND, values);
    if (!rows[0]) throw new NotFoundException('no such event');
    return toEventResponse(publicId, rows[0], rows[0].turn_status);
  }
}
