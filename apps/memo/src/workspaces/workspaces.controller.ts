import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { CurrentMember, type Member } from '../access/member';
import { RequiresRole } from '../access/workspace.guard';
import { WorkspaceDto, WorkspaceListResponse, WorkspaceResponse } from './workspace.dto';
import { WorkspacesService } from './workspaces.service';

@Controller('v1/workspaces')
@ApiTags('Workspaces')
export class WorkspacesController {
  constructor(private readonly workspaces: WorkspacesService) {}

  @Post()
  @Accepts('session')
  @ApiOperation({
    operationId: 'createWorkspace',
    summary: 'Creates a workspace.',
    description: 'The caller becomes its first admin.',
  })
  @ApiCreatedResponse({ description: 'The new workspace.', type: WorkspaceResponse })
  @ApiErrors({ 409: 'The account has created as many workspaces as it may.' })
  create(@CurrentCaller() caller: Caller, @Body() body: WorkspaceDto): Promise<WorkspaceResponse> {
    return this.workspaces.create(caller, body);
  }

  @Get()
  @Accepts('session')
  @ApiOperation({
    operationId: 'listWorkspaces',
    summary: 'Lists the workspaces of which the caller is a member.',
  })
  @ApiOkResponse({ description: 'A page of the list.', type: WorkspaceListResponse })
  list(@CurrentCaller() caller: Caller, @Query() query: PageQuery): Promise<WorkspaceListResponse> {
    return this.workspaces.list(caller, query);
  }

  @Get(':workspace_id')
  @RequiresRole('viewer')
  @ApiOperation({ operationId: 'getWorkspace', summary: 'Returns one workspace.' })
  @ApiOkResponse({ description: 'The workspace.', type: WorkspaceResponse })
  find(@CurrentMember() member: Member): Promise<WorkspaceResponse> {
    return this.workspaces.find(member);
  }

  @Patch(':workspace_id')
  @Accepts('session')
  @RequiresRole('admin')
  @ApiOperation({ operationId: 'renameWorkspace', summary: 'Renames a workspace. Needs the role admin.' })
  @ApiOkResponse({ description: 'The renamed workspace.', type: WorkspaceResponse })
  rename(@CurrentMember() member: Member, @Body() body: WorkspaceDto): Promise<WorkspaceResponse> {
    return this.workspaces.rename(member, body);
  }

  @Delete(':workspace_id')
  @Accepts('session')
  @RequiresRole('admin')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteWorkspace',
    summary: 'Deletes a workspace with everything in it. Needs the role admin.',
  })
  @ApiNoContentResponse({ description: 'The workspace is deleted.' })
  remove(@CurrentMember() member: Member): Promise<void> {
    return this.workspaces.remove(member);
  }
}
