import { type Caller, CurrentCaller } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Controller, Delete, Get, Header, HttpCode, Param } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { SessionListResponse, SessionPath } from './session-list.dto';
import { SessionListService } from './session-list.service';

@Controller('api/auth/sessions')
@ApiTags('Credentials')
export class SessionListController {
  constructor(private readonly sessions: SessionListService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'listSessions', summary: 'Lists where the account is signed in.' })
  @ApiOkResponse({ description: 'The live sessions.', type: SessionListResponse })
  async list(@CurrentCaller() { accountId, sessionId }: Caller): Promise<SessionListResponse> {
    return { sessions: await this.sessions.list(accountId, sessionId) };
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({
    operationId: 'endOtherSessions',
    summary: 'Ends all sessions of the account except that of the request.',
  })
  @ApiNoContentResponse({ description: 'The other sessions have ended.' })
  endOthers(@CurrentActor() actor: Actor): Promise<void> {
    return this.sessions.endOthers(actor);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ operationId: 'endSession', summary: 'Ends a session of the account.' })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ApiErrors({ 404: 'The account has no such live session.' })
  end(@CurrentActor() actor: Actor, @Param() { id }: SessionPath): Promise<void> {
    return this.sessions.end(actor, id);
  }
}
