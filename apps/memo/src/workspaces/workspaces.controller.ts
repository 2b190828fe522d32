import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { pageQuery, type PageQuery, ValidBody, ValidQuery } from '@inference/http';
import { CurrentMember, type Member } from '../access/member';
import { RequiresRole } from '../access/workspace.guard';
import { workspaceBody, type WorkspaceBody } from './workspace.dto';
import { WorkspacesService } from './workspaces.service';

@Controller('v1/workspaces')
export class WorkspacesController {
  constructor(private readonly workspaces: WorkspacesService) {}

  /** The account that creates a workspace becomes its first admin. */
  @Post()
  @Accepts('session')
  create(@CurrentCaller() caller: Caller, @ValidBody(workspaceBody) body: WorkspaceBody) {
    return this.workspaces.create(caller, body);
  }

  /** `{workspaces, next_cursor}`: the workspaces of which the caller is a member, newest first. */
  @Get()
  @Accepts('session')
  list(@CurrentCaller() caller: Caller, @ValidQuery(pageQuery) query: PageQuery) {
    return this.workspaces.list(caller, query);
  }

  @Get(':workspace_id')
  @RequiresRole('viewer')
  find(@CurrentMember() member: Member) {
    return this.workspaces.find(member);
  }

  @Patch(':workspace_id')
  @Accepts('session')
  @RequiresRole('admin')
  rename(@CurrentMember() member: Member, @ValidBody(workspaceBody) body: WorkspaceBody) {
    return this.workspaces.rename(member, body);
  }

  /** Deletes the workspace and everything in it. */
  @Delete(':workspace_id')
  @Accepts('session')
  @RequiresRole('admin')
  @HttpCode(204)
  remove(@CurrentMember() member: Member) {
    return this.workspaces.remove(member);
  }
}
