import { type Caller, CurrentCaller } from '@inference/guards';
import { BodyAs, PageQuery } from '@inference/http';
import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { AgentProxy } from '../service-proxy/service-proxies';
import { AGENT_BODY_LIMIT_BYTES, pathOfSession, SESSIONS_PATH } from './agent-paths';
import { AgentSessionPath, NewAgentSession } from './agents.dto';
import { ApiAgentCall } from './api-agent-call.decorator';

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
    summary: 'Lists the account’s sessions, newest first.',
    forwardsTo: 'listSessions',
  })
  list(
    @CurrentCaller() caller: Caller,
    @Query() query: PageQuery,
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
