import { RequestHeaders } from '@inference/dto';
import { type Caller, CurrentCaller } from '@inference/guards';
import { Idempotency, IdempotencyHeaders } from '@inference/http';
import { ApiErrors, CodedErrorResponse } from '@inference/openapi';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  type MessageEvent,
  Param,
  Post,
  Query,
  RequestMethod,
  Res,
  Sse,
} from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { type Observable } from 'rxjs';
import { SessionPath } from '../sessions/session.dto';
import { ApiTurnStream } from '../streams/api-turn-stream.decorator';
import { ApiPostEvent, POSTED_EVENT_HEADERS } from './api-post-event.decorator';
import { EventPostingService } from './event-posting.service';
import {
  EventPath,
  EventsQuery,
  PostEventDto,
  PostEventQuery,
  ResumeHeaders,
  ResumeQuery,
} from './event.dto';
import { EventListResponse, EventResponse } from './event.response';
import { EventsService } from './events.service';
import { eventBodyOf } from './posted-event';
import { StreamResumptionService } from './stream-resumption.service';

const NO_SUCH_SESSION = {
  404: 'The account has no such session, or the API key has limits and has not made it.',
};

/** The events of a session, and the streams of its turns (spec: Agent event; Events). */
@Controller('v1/agents/sessions/:session_id/events')
@ApiTags('Events')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly postings: EventPostingService,
    private readonly resumptions: StreamResumptionService,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiPostEvent({
    operationId: 'postEvent',
    summary: 'Stores an event and runs its turn in the background.',
    description:
      'An id that the account has not used creates the session. The answer comes when the gateway has accepted the call of the model, after two seconds at most; a refusal that comes in time is answered with its status. Results of tools continue the turn when all its calls have one.',
  })
  @ApiOkResponse({
    description: 'The stored event.',
    type: EventResponse,
    headers: POSTED_EVENT_HEADERS,
  })
  post(
    @CurrentCaller() caller: Caller,
    @Param() { session_id: sessionId }: SessionPath,
    @Body() event: PostEventDto,
    @Query() query: PostEventQuery,
    @Idempotency() { 'Idempotency-Key': key }: IdempotencyHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventResponse> {
    const body = eventBodyOf(event);
    return this.postings.post({ caller, sessionId, body, query, idempotencyKey: key ?? null }, response);
  }

  @Sse('stream', { method: RequestMethod.POST })
  @HttpCode(200)
  @ApiPostEvent({
    operationId: 'postEventAndStream',
    summary: 'Stores an event and streams its turn.',
    description:
      'An id that the account has not used creates the session. What can be refused is refused with its status before the stream begins. A lost connection cancels nothing: the turn goes on, and its stream can be resumed.',
  })
  @ApiTurnStream({
    description: 'The events of the turn from this event on.',
    headers: POSTED_EVENT_HEADERS,
  })
  @ApiErrors({ 410: 'The event was accepted before, and its stream is not stored any more.' })
  stream(
    @CurrentCaller() caller: Caller,
    @Param() { session_id: sessionId }: SessionPath,
    @Body() event: PostEventDto,
    @Query() query: PostEventQuery,
    @Idempotency() { 'Idempotency-Key': key }: IdempotencyHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const body = eventBodyOf(event);
    return this.postings.stream({ caller, sessionId, body, query, idempotencyKey: key ?? null }, response);
  }

  @Sse('stream')
  @ApiOperation({
    operationId: 'resumeStream',
    summary: 'Continues a stream of the session.',
    description:
      'After the last event of a turn, the next turn follows. Without a position: the first open turn from its beginning, or else the latest.',
  })
  @ApiTurnStream({ description: 'The events after the position.' })
  @ApiNoContentResponse({ description: 'Nothing follows. An EventSource stops.' })
  @ApiErrors({ ...NO_SUCH_SESSION, 410: 'The events of this stream are not stored any more.' })
  @ApiResponse({
    status: 503,
    description: 'The database is not available, or this process is about to stop.',
    type: CodedErrorResponse,
  })
  resume(
    @CurrentCaller() caller: Caller,
    @Param() { session_id: sessionId }: SessionPath,
    @Query() { after }: ResumeQuery,
    @RequestHeaders(ResumeHeaders) { 'Last-Event-ID': lastEvent }: ResumeHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    return this.resumptions.resume(caller, sessionId, lastEvent ?? after, response);
  }

  @Get()
  @ApiOperation({ operationId: 'listEvents', summary: 'Lists the stored events by `seq`, oldest first.' })
  @ApiOkResponse({ description: 'One page of events.', type: EventListResponse })
  @ApiErrors(NO_SUCH_SESSION)
  list(
    @CurrentCaller() caller: Caller,
    @Param() { session_id: sessionId }: SessionPath,
    @Query() query: EventsQuery,
  ): Promise<EventListResponse> {
    return this.events.list(caller, sessionId, query);
  }

  @Get(':event_id')
  @ApiOperation({ operationId: 'retrieveEvent', summary: 'Returns one stored event.' })
  @ApiOkResponse({ description: 'The event.', type: EventResponse })
  @ApiErrors({
    404: 'The account has no such session, or the API key has limits and has not made it, or the session has no such event.',
  })
  find(
    @CurrentCaller() caller: Caller,
    @Param() { session_id: sessionId, event_id: eventId }: EventPath,
  ): Promise<EventResponse> {
    return this.events.find(caller, sessionId, eventId);
  }
}
