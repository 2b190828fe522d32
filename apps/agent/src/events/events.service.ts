import { Injectable, NotFoundException } from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { Database } from '@inference/database';
import { findEvent, listEvents } from '../session-log/session-events.repository';
import { requireSession } from '../sessions/session-lock';
import { sessionScopeOf } from '../session-scope';
import { hasEventsAfter } from '../sessions/sessions.repository';
import { type EventsQuery } from './event.dto';
import { type EventListResponse, type EventResponse, toEventResponse } from './event.response';

/** Reads the events of a session. */
@Injectable()
export class EventsService {
  constructor(private readonly database: Database) {}

  /** Returns fewer events than `limit` if they are large. */
  async list(caller: Caller, publicId: string, { after, limit }: EventsQuery): Promise<EventListResponse> {
    const sessionId = await requireSession(this.database, publicId, caller);
    const events = await listEvents(this.database, sessionId, after, limit);
    const last = events.at(-1);
    return {
      events: events.map((event) => toEventResponse(publicId, event, event.turnStatus)),
      has_more: last !== undefined && (await hasEventsAfter(this.database, sessionId, last.seq)),
    };
  }

  async find(caller: Caller, publicId: string, eventId: string): Promise<EventResponse> {
    const event = await findEvent(this.database, { id: eventId, publicId, ...sessionScopeOf(caller) });
    if (!event) throw new NotFoundException('no such event');
    return toEventResponse(publicId, event, event.turn.status);
  }
}
