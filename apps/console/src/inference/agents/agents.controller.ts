import { ApiRequestHeaders } from '@inference/dto';
import { type Caller, CurrentCaller } from '@inference/guards';
import { BodyAs, IdempotencyHeaders } from '@inference/http';
import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { AgentProxy } from '../service-proxy/service-proxies';
import {
  AgentEventPath,
  AgentEventsQuery,
  AgentSessionChange,
  AgentSessionPath,
  AgentSessionsQuery,
  NewAgentEvent,
  NewAgentSession,
  PostAgentEventQuery,
  ResumeAgentStreamHeaders,
  ResumeAgentStreamQuery,
} from './agents.dto';
import { ApiAgentCall } from './api-agent-call.decorator';

/** As at the agent service. */
const AGENT_BODY_LIMIT_BYTES = 2 * 1024 * 1024;

/** Paths of the agent service. */
const SESSIONS_PATH = '/v1/agents/sessions';

const pathOfSession = ({ session_id: id }: AgentSessionPath): string =>
  `${SESSIONS_PATH}/${encodeURIComponent(id)}`;

const pathOfEvents = (path: AgentSessionPath): string => `${pathOfSession(path)}/events`;

/** Conversations with a model for the pages of the console. The agent service decides on everything. */
@Controller('api/agents/sessions')
@ApiTags('Agents')
export class AgentSessionsController {
  constructor(private readonly agent: AgentProxy) {}

  @Post()
  @BodyAs('unparsed-json', AGENT_BODY_LIMIT_BYTES)
  @ApiAgentCall({
    operationId: 'createAgentSession',
    summary: 'Creates a session.',
    forwardsTo: 'createSession',
    status: 201,
    body: NewAgentSession,
    errors: { 409: 'A session of the account has the id.' },
  })
  create(@CurrentCaller() caller: Caller, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.agent.forward({ caller, request, response }, SESSIONS_PATH);
  }

  @Get()
  @ApiAgentCall({
    operationId: 'listAgentSessions',
    summary: 'Lists the account’s sessions by the time when they were created.',
    forwardsTo: 'listSessions',
  })
  list(
    @CurrentCaller() caller: Caller,
    @Query() query: AgentSessionsQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.agent.forward({ caller, request, response }, SESSIONS_PATH, query);
  }

  @Get(':session_id')
  @ApiAgentCall({
    operationId: 'retrieveAgentSession',
    summary: 'Returns one session with its open turns.',
    forwardsTo: 'retrieveSession',
  })
  find(
    @CurrentCaller() caller: Caller,
    @Param() path: AgentSessionPath,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.agent.forward({ caller, request, response }, pathOfSession(path));
  }

  @Patch(':session_id')
  @BodyAs('unparsed-json', AGENT_BODY_LIMIT_BYTES)
  @ApiAgentCall({
    operationId: 'updateAgentSession',
    summary: 'Replaces the metadata of a session.',
    forwardsTo: 'updateSession',
    body: AgentSessionChange,
  })
  update(
    @CurrentCaller() caller: Caller,
    @Param() path: AgentSessionPath,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.agent.forward({ caller, request, response }, pathOfSession(path));
  }

  @Delete(':session_id')
  @HttpCode(204)
  @ApiAgentCall({
    operationId: 'deleteAgentSession',
    summary: 'Deletes a session with all its events.',
    forwardsTo: 'deleteSession',
    status: 204,
  })
  remove(
    @CurrentCaller() caller: Caller,
    @Param() path: AgentSessionPath,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.agent.forward({ caller, request, response }, pathOfSession(path));
  }

  @Post(':session_id/cancel')
  @HttpCode(200)
  @ApiAgentCall({
    operationId: 'cancelAgentTurns',
    summary: 'Cancels the running and queued turns of a session.',
    forwardsTo: 'cancelTurns',
  })
  cancel(
    @CurrentCaller() caller: Caller,
    @Param() path: AgentSessionPath,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.agent.forward({ caller, request, response }, `${pathOfSession(path)}/cancel`);
  }
}

/** The events of a session and the streams of its turns. Who disconnects cancels nothing: the stream can be resumed. */
@Controller('api/agents/sessions/:session_id/events')
@ApiTags('Agents')
export class AgentEventsController {
  constructor(private readonly agent: AgentProxy) {}

  @Post()
  @HttpCode(200)
  @BodyAs('unparsed-json', AGENT_BODY_LIMIT_BYTES)
  @ApiRequestHeaders(IdempotencyHeaders)
  @ApiAgentCall({
    operationId: 'postAgentEvent',
    summary: 'Stores an event and runs its turn in the background.',
    forwardsTo: 'postEvent',
    body: NewAgentEvent,
  })
  post(
    @CurrentCaller() caller: Caller,
    @Param() path: AgentSessionPath,
    @Query() query: PostAgentEventQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.agent.forward({ caller, request, response }, pathOfEvents(path), query);
  }

  @Post('stream')
  @HttpCode(200)
  @BodyAs('unparsed-json', AGENT_BODY_LIMIT_BYTES)
  @ApiRequestHeaders(IdempotencyHeaders)
  @ApiAgentCall({
    operationId: 'postAgentEventAndStream',
    summary: 'Stores an event and streams its turn.',
    forwardsTo: 'postEventAndStream',
    body: NewAgentEvent,
    streams: true,
  })
  stream(
    @CurrentCaller() caller: Caller,
    @Param() path: AgentSessionPath,
    @Query() query: PostAgentEventQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.agent.forward({ caller, request, response }, `${pathOfEvents(path)}/stream`, query);
  }

  @Get('stream')
  @ApiRequestHeaders(ResumeAgentStreamHeaders)
  @ApiNoContentResponse({ description: 'Nothing follows.' })
  @ApiAgentCall({
    operationId: 'resumeAgentStream',
    summary: 'Continues a stream of the session.',
    forwardsTo: 'resumeStream',
    streams: true,
    errors: { 410: 'The events of this stream are not stored any more.' },
  })
  resume(
    @CurrentCaller() caller: Caller,
    @Param() path: AgentSessionPath,
    @Query() query: ResumeAgentStreamQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.agent.forward({ caller, request, response }, `${pathOfEvents(path)}/stream`, query);
  }

  @Get()
  @ApiAgentCall({
    operationId: 'listAgentEvents',
    summary: 'Lists the stored events by `seq`, oldest first.',
    forwardsTo: 'listEvents',
  })
  list(
    @CurrentCaller() caller: Caller,
    @Param() path: AgentSessionPath,
    @Query() query: AgentEventsQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.agent.forward({ caller, request, response }, pathOfEvents(path), query);
  }

  @Get(':event_id')
  @ApiAgentCall({
    operationId: 'retrieveAgentEvent',
    summary: 'Returns one stored event.',
    forwardsTo: 'retrieveEvent',
  })
  find(
    @CurrentCaller() caller: Caller,
    @Param() path: AgentEventPath,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.agent.forward(
      { caller, request, response },
      `${pathOfEvents(path)}/${encodeURIComponent(path.event_id)}`,
    );
  }
}
