import { ApiRequestHeaders } from '@inference/dto';
import { type Caller, CurrentCaller } from '@inference/guards';
import { BodyAs, IdempotencyHeaders } from '@inference/http';
import { Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { AgentProxy } from '../service-proxy/service-proxies';
import { AGENT_BODY_LIMIT_BYTES, pathOfEvents } from './agent-paths';
import {
  AgentEventPath,
  AgentEventsQuery,
  AgentSessionPath,
  NewAgentEvent,
  PostAgentEventQuery,
  ResumeAgentStreamHeaders,
  ResumeAgentStreamQuery,
} from './agents.dto';
import { ApiAgentCall } from './api-agent-call.decorator';

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
