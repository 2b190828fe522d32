import { Controller, Get, Headers, HttpCode, Param, Post, RequestMethod, Res, Sse } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { IdempotencyKey, ValidBody, ValidQuery } from '@inference/http';
import { type Response } from 'express';
import { SessionId } from '../sessions/session-id';
import {
  eventBody,
  type EventBody,
  eventsQuery,
  type EventsQuery,
  postQuery,
  type PostQuery,
  resumeQuery,
  type ResumeQuery,
} from './event.dto';
import { EventPostingService } from './event-posting.service';
import { EventsService } from './events.service';
import { StreamResumptionService } from './stream-resumption.service';

/** The events of a session, and the streams of its turns (spec: Agent event; Events). */
@Controller('v1/agents/sessions/:session_id/events')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly postings: EventPostingService,
    private readonly resumptions: StreamResumptionService,
  ) {}

  @Post()
  @HttpCode(200)
  post(
    @CurrentCaller() caller: Caller,
    @SessionId() sessionId: string,
    @ValidBody(eventBody) body: EventBody,
    @ValidQuery(postQuery) query: PostQuery,
    @IdempotencyKey() idempotencyKey: string | null,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.postings.post({ caller, sessionId, body, query, idempotencyKey }, response);
  }

  @Sse('stream', { method: RequestMethod.POST })
  @HttpCode(200)
  stream(
    @CurrentCaller() caller: Caller,
    @SessionId() sessionId: string,
    @ValidBody(eventBody) body: EventBody,
    @ValidQuery(postQuery) query: PostQuery,
    @IdempotencyKey() idempotencyKey: string | null,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.postings.stream({ caller, sessionId, body, query, idempotencyKey }, response);
  }

  @Sse('stream')
  resume(
    @CurrentCaller() caller: Caller,
    @SessionId() sessionId: string,
    @ValidQuery(resumeQuery) { after }: ResumeQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.resumptions.resume(caller, sessionId, lastEventId || after, response);
  }

  /** `{events, has_more}`, oldest first. */
  @Get()
  list(
    @CurrentCaller() caller: Caller,
    @SessionId() sessionId: string,
    @ValidQuery(eventsQuery) query: EventsQuery,
  ) {
    return this.events.list(caller, sessionId, query);
  }

  @Get(':event_id')
  find(@CurrentCaller() caller: Caller, @SessionId() sessionId: string, @Param('event_id') eventId: string) {
    return this.events.find(caller, sessionId, eventId);
  }
}
