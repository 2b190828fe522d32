import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { Accepts, type Caller, CurrentCaller } from '@inference/credentials';
import { pageQuery, type PageQuery, ValidBody, ValidQuery } from '@inference/http';
import { CurrentMember, type Member } from '../access/member';
import { Needs } from '../access/workspace.guard';
import { workspaceBody, type WorkspaceBody } from './workspace.dto';
import { WorkspacesService } from './workspaces.service';

@Controller('v1/workspaces')
export class WorkspacesController {
  constructor(private readonly workspaces: WorkspacesService) {}

  /** Its maker is its first admin. */
  @Post()
  @Accepts('session')
  create(@CurrentCaller() caller: Caller, @ValidBody(workspaceBody) body: WorkspaceBody) {
    return this.workspaces.create(caller, body);
  }

  /** `{workspaces, next_cursor}`: those that the caller is a member of, newest first. */
  @Get()
  @Accepts('session')
  list(@CurrentCaller() caller: Caller, @ValidQuery(pageQuery) query: PageQuery) {
    return this.workspaces.list(caller, query);
  }

  @Get(':workspace_id')
  @Needs('viewer')
  find(@CurrentMember() member: Member) {
    return this.workspaces.find(member);
  }

  @Patch(':workspace_id')
  @Accepts('session')
  @Needs('admin')
  rename(@CurrentMember() member: Member, @ValidBody(workspaceBody) body: WorkspaceBody) {
    return this.workspaces.rename(member, body);
  }

  /** With everything in it. */
  @Delete(':workspace_id')
  @Accepts('session')
  @Needs('admin')
  @HttpCode(204)
  remove(@CurrentMember() member: Member) {
    return this.workspaces.remove(member);
  }
}
