import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { Accepts } from '@inference/guards';
import { type PageQuery, pageQuery, ValidBody, ValidQuery } from '@inference/http';
import { CurrentMember, type Member } from '../../access/member';
import { RequiresRole } from '../../access/workspace.guard';
import { memberBody, type MemberBody, newMemberBody, type NewMemberBody } from './member.dto';
import { MembersService } from './members.service';

@Controller('v1/workspaces/:workspace_id/members')
@Accepts('session')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  /** `{members, next_cursor}`, in the order in which they were added. */
  @Get()
  @RequiresRole('viewer')
  list(@CurrentMember() member: Member, @ValidQuery(pageQuery) query: PageQuery) {
    return this.members.list(member, query);
  }

  @Post()
  @RequiresRole('admin')
  add(@CurrentMember() member: Member, @ValidBody(newMemberBody) body: NewMemberBody) {
    return this.members.add(member, body);
  }

  @Patch(':user_id')
  @RequiresRole('admin')
  change(
    @CurrentMember() member: Member,
    @Param('user_id') userId: string,
    @ValidBody(memberBody) body: MemberBody,
  ) {
    return this.members.change(member, userId, body);
  }

  /** A member may remove itself; removing others requires an admin. */
  @Delete(':user_id')
  @RequiresRole('viewer')
  @HttpCode(204)
  remove(@CurrentMember() member: Member, @Param('user_id') userId: string) {
    return this.members.remove(member, userId);
  }
}
