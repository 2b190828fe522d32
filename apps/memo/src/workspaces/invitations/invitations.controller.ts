import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Accepts } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { CurrentMember, type Member } from '../../access/member';
import { RequiresRole } from '../../access/workspace.guard';
import {
  InvitationListResponse,
  InvitationResponse,
  InviteDto,
  WorkspaceInvitationPath,
} from './invitation.dto';
import { InvitationsService } from './invitations.service';

/** What admins of a workspace do with its invitations. */
@Controller('v1/workspaces/:workspace_id/invitations')
@Accepts('session')
@RequiresRole('admin')
@ApiTags('Invitations')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Post()
  @ApiErrors({
    403: 'The caller is not an admin, or has not confirmed the own e-mail address.',
    409: 'The list of members shows the address, or the workspace has 1,000 members and open invitations.',
    429: 'Too many requests, or the caller has invited 100 people within an hour. Wait for the seconds in `Retry-After`.',
  })
  @ApiOperation({
    operationId: 'inviteMember',
    summary: 'Invites an e-mail address to a workspace. Needs the role admin.',
    description:
      'A mail goes to the address. The answer is the same whether or not an account has it. Whoever has confirmed the address accepts within seven days. An open invitation of the address is replaced.',
  })
  @ApiCreatedResponse({ description: 'The new invitation.', type: InvitationResponse })
  invite(@CurrentMember() member: Member, @Body() body: InviteDto): Promise<InvitationResponse> {
    return this.invitations.invite(member, body);
  }

  @Get()
  @ApiOperation({
    operationId: 'listInvitations',
    summary: 'Lists the open invitations of a workspace. Needs the role admin.',
  })
  @ApiOkResponse({ description: 'A page of the list.', type: InvitationListResponse })
  list(@CurrentMember() member: Member, @Query() query: PageQuery): Promise<InvitationListResponse> {
    return this.invitations.list(member, query);
  }

  @Delete(':invitation_id')
  @ApiErrors({ 404: 'The workspace has no such open invitation.' })
  @HttpCode(204)
  @ApiOperation({ operationId: 'revokeInvitation', summary: 'Revokes an invitation. Needs the role admin.' })
  @ApiNoContentResponse({ description: 'The invitation can no longer be accepted.' })
  revoke(
    @CurrentMember() member: Member,
    @Param() { invitation_id: id }: WorkspaceInvitationPath,
  ): Promise<void> {
    return this.invitations.revoke(member, id);
  }
}
