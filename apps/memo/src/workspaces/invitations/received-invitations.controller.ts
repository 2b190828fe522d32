import { Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { WorkspaceResponse } from '../workspace.dto';
import { InvitationPath, ReceivedInvitationListResponse } from './invitation.dto';
import { InvitationsService } from './invitations.service';

const NO_SUCH_INVITATION = { 404: 'The caller’s confirmed address has no such open invitation.' };

/** What the invited person does. */
@Controller('v1/invitations')
@Accepts('session')
@ApiTags('Invitations')
export class ReceivedInvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listReceivedInvitations',
    summary: 'Lists the open invitations of the caller’s e-mail address.',
    description: 'There are none while the address is not confirmed.',
  })
  @ApiOkResponse({ description: 'A page of the list.', type: ReceivedInvitationListResponse })
  list(@CurrentCaller() caller: Caller, @Query() query: PageQuery): Promise<ReceivedInvitationListResponse> {
    return this.invitations.listReceived(caller, query);
  }

  @Post(':invitation_id/accept')
  @HttpCode(200)
  @ApiErrors({ ...NO_SUCH_INVITATION, 409: 'The workspace has 1,000 members.' })
  @ApiOperation({
    operationId: 'acceptInvitation',
    summary: 'Accepts an invitation: the caller becomes a member of the workspace.',
    description: 'Members see the e-mail address of the new one. Who is a member already keeps the role.',
  })
  @ApiOkResponse({ description: 'The workspace.', type: WorkspaceResponse })
  accept(
    @CurrentCaller() caller: Caller,
    @Param() { invitation_id: id }: InvitationPath,
  ): Promise<WorkspaceResponse> {
    return this.invitations.accept(caller, id);
  }

  @Delete(':invitation_id')
  @HttpCode(204)
  @ApiErrors(NO_SUCH_INVITATION)
  @ApiOperation({ operationId: 'declineInvitation', summary: 'Declines an invitation.' })
  @ApiNoContentResponse({ description: 'The invitation can no longer be accepted.' })
  decline(@CurrentCaller() caller: Caller, @Param() { invitation_id: id }: InvitationPath): Promise<void> {
    return this.invitations.decline(caller, id);
  }
}
