import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { Accepts } from '@inference/credentials';
import { type PageQuery, pageQuery, ValidBody, ValidQuery } from '@inference/http';
import { CurrentMember, type Member } from '../access/member';
import { Needs } from '../access/workspace.guard';
import { memberBody, type MemberBody, newMemberBody, type NewMemberBody } from './member.dto';
import { MembersService } from './members.service';

@Controller('v1/workspaces/:workspace_id/members')
@Accepts('session')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  /** `{members, next_cursor}`, in the order in which they came. */
  @Get()
  @Needs('viewer')
  list(@CurrentMember() member: Member, @ValidQuery(pageQuery) query: PageQuery) {
    return this.members.list(member, query);
  }

  @Post()
  @Needs('admin')
  add(@CurrentMember() member: Member, @ValidBody(newMemberBody) body: NewMemberBody) {
    return this.members.add(member, body);
  }

  @Patch(':user_id')
  @Needs('admin')
  change(
    @CurrentMember() member: Member,
    @Param('user_id') userId: string,
    @ValidBody(memberBody) body: MemberBody,
  ) {
    return this.members.change(member, userId, body);
  }

  /** Everybody may leave; to remove others takes an admin. */
  @Delete(':user_id')
  @Needs('viewer')
  @HttpCode(204)
  remove(@CurrentMember() member: Member, @Param('user_id') userId: string) {
    return this.members.remove(member, userId);
  }
}
