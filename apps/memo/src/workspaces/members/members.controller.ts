import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Accepts } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { CurrentMember, type Member } from '../../access/member';
import { RequiresRole } from '../../access/workspace.guard';
import { ChangeMemberDto, MemberListResponse, MemberPath, MemberResponse } from './member.dto';
import { MembersService } from './members.service';

const NO_SUCH_MEMBER = { 404: 'The workspace has no such member.' };
const LAST_ADMIN = { 409: 'The workspace would have no admin.' };

@Controller('v1/workspaces/:workspace_id/members')
@Accepts('session')
@ApiTags('Members')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Get()
  @RequiresRole('viewer')
  @ApiOperation({ operationId: 'listMembers', summary: 'Lists the members of a workspace.' })
  @ApiOkResponse({ description: 'A page of the list.', type: MemberListResponse })
  list(@CurrentMember() member: Member, @Query() query: PageQuery): Promise<MemberListResponse> {
    return this.members.list(member, query);
  }

  @Patch(':user_id')
  @ApiErrors({ ...NO_SUCH_MEMBER, ...LAST_ADMIN })
  @RequiresRole('admin')
  @ApiOperation({
    operationId: 'changeMember',
    summary: 'Changes the role of a member. Needs the role admin.',
  })
  @ApiOkResponse({ description: 'The changed member.', type: MemberResponse })
  change(
    @CurrentMember() member: Member,
    @Param() { user_id: userId }: MemberPath,
    @Body() body: ChangeMemberDto,
  ): Promise<MemberResponse> {
    return this.members.change(member, userId, body);
  }

  @Delete(':user_id')
  @ApiErrors({
    403: 'The caller removes another member and is not an admin.',
    ...NO_SUCH_MEMBER,
    ...LAST_ADMIN,
  })
  @RequiresRole('viewer')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'removeMember',
    summary: 'Removes a member and its keys and conversations.',
    description: 'Every member may leave. To remove others needs the role admin.',
  })
  @ApiNoContentResponse({ description: 'The account is no longer a member.' })
  remove(@CurrentMember() member: Member, @Param() { user_id: userId }: MemberPath): Promise<void> {
    return this.members.remove(member, userId);
  }
}
