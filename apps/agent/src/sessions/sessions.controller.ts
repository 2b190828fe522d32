import { type Caller, CurrentCaller } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  CancelledTurnsResponse,
  CreateSessionDto,
  SessionDetailsResponse,
  SessionListResponse,
  SessionPath,
  SessionResponse,
  SessionsQuery,
  UpdateSessionDto,
} from './session.dto';
import { SessionsService } from './sessions.service';

const NO_SUCH_SESSION = {
  404: 'The account has no such session, or the API key has limits and has not made it.',
};

/** Conversations with a model. Posting an event to an unused id also creates one (see EventsController). */
@Controller('v1/agents/sessions')
@ApiTags('Sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Post()
  @ApiOperation({
    operationId: 'createSession',
    summary: 'Creates a session.',
    description:
      'Posting an event to an id that the account has not used also creates a session, with the default model and without tools. An API key with a spending limit or a list of models reaches the sessions that it has made, and no others.',
  })
  @ApiCreatedResponse({ description: 'The new session.', type: SessionResponse })
  @ApiErrors({ 409: 'A session of the account has the id.' })
  create(@CurrentCaller() caller: Caller, @Body() body: CreateSessionDto): Promise<SessionResponse> {
    return this.sessions.create(caller, body);
  }

  @Get()
  @ApiOperation({
    operationId: 'listSessions',
    summary: 'Lists the account’s sessions by the time when they were created.',
    description: 'An API key with a spending limit or a list of models gets the sessions that it has made.',
  })
  @ApiOkResponse({ description: 'One page of sessions.', type: SessionListResponse })
  list(@CurrentCaller() caller: Caller, @Query() query: SessionsQuery): Promise<SessionListResponse> {
    return this.sessions.list(caller, query);
  }

  @Get(':session_id')
  @ApiOperation({ operationId: 'retrieveSession', summary: 'Returns one session with its open turns.' })
  @ApiOkResponse({ description: 'The session.', type: SessionDetailsResponse })
  @ApiErrors(NO_SUCH_SESSION)
  find(
    @CurrentCaller() caller: Caller,
    @Param() { session_id: id }: SessionPath,
  ): Promise<SessionDetailsResponse> {
    return this.sessions.find(caller, id);
  }

  @Patch(':session_id')
  @ApiOperation({
    operationId: 'updateSession',
    summary: 'Replaces the metadata of a session.',
    description: 'A text named `title` is the name of the session at the pages of the console.',
  })
  @ApiOkResponse({ description: 'The changed session.', type: SessionResponse })
  @ApiErrors(NO_SUCH_SESSION)
  update(
    @CurrentCaller() caller: Caller,
    @Param() { session_id: id }: SessionPath,
    @Body() body: UpdateSessionDto,
  ): Promise<SessionResponse> {
    return this.sessions.update(caller, id, body);
  }

  @Delete(':session_id')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteSession',
    summary: 'Deletes a session with all its events.',
    description: 'Its running turn is aborted. The id can be used again.',
  })
  @ApiNoContentResponse({ description: 'The session is deleted.' })
  @ApiErrors(NO_SUCH_SESSION)
  remove(@CurrentCaller() caller: Caller, @Param() { session_id: id }: SessionPath): Promise<void> {
    return this.sessions.remove(caller, id);
  }

  @Post(':session_id/cancel')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cancelTurns',
    summary: 'Cancels the running and queued turns of a session.',
    description:
      'Stored events stay, and so does the text that the model has sent so far. The call needs no body and can be repeated.',
  })
  @ApiOkResponse({ description: 'The turns that were cancelled.', type: CancelledTurnsResponse })
  @ApiErrors(NO_SUCH_SESSION)
  cancel(
    @CurrentCaller() caller: Caller,
    @Param() { session_id: id }: SessionPath,
  ): Promise<CancelledTurnsResponse> {
    return this.sessions.cancel(caller, id);
  }
}
