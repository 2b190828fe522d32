import { StaffOnly } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Get, Header, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountPath } from '../../accounts/accounts.dto';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import {
  CreateNoteDto,
  CustomerAgentListResponse,
  CustomerSessionListResponse,
  CustomerWorkspaceListResponse,
  NoteListResponse,
  NoteResponse,
  TimelineResponse,
} from './customer-view.dto';
import { CustomerViewService } from './customer-view.service';

const NO_ACCOUNT = { 404: 'There is no such account.' };

/** What support reads of a customer. Nothing of what a customer has written to a model is in it. */
@Controller('api/admin/accounts/:id')
@ApiTags('Support')
@StaffOnly()
export class CustomerViewController {
  constructor(private readonly customers: CustomerViewService) {}

  @Get('timeline')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'readTimelineOfAccount',
    summary: 'Lists what happened to an account, newest first.',
    description:
      'Sign-ins and other events of its credentials, what staff did to it, payments, failed calls, changes of the prices of models that it uses, and notes.',
  })
  @ApiOkResponse({ description: 'A page of the timeline.', type: TimelineResponse })
  @ApiErrors(NO_ACCOUNT)
  timeline(@Param() { id }: AccountPath, @Query() query: PageQuery): Promise<TimelineResponse> {
    return this.customers.timeline(id, query);
  }

  @Get('sessions')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listSessionsOfAccount',
    summary: 'Lists where an account is signed in, newest use first.',
  })
  @ApiOkResponse({ description: 'The sessions.', type: CustomerSessionListResponse })
  @ApiErrors(NO_ACCOUNT)
  sessions(@Param() { id }: AccountPath): Promise<CustomerSessionListResponse> {
    return this.customers.sessions(id);
  }

  @Get('agents')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listAgentsOfAccount',
    summary: 'Lists the agent sessions of an account, newest first, without what was said in them.',
  })
  @ApiOkResponse({ description: 'The agent sessions.', type: CustomerAgentListResponse })
  @ApiErrors(NO_ACCOUNT)
  agents(@Param() { id }: AccountPath): Promise<CustomerAgentListResponse> {
    return this.customers.agents(id);
  }

  @Get('workspaces')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listWorkspacesOfAccount',
    summary: 'Lists the workspaces of which an account is a member, without what they hold.',
  })
  @ApiOkResponse({ description: 'The workspaces.', type: CustomerWorkspaceListResponse })
  @ApiErrors(NO_ACCOUNT)
  workspaces(@Param() { id }: AccountPath): Promise<CustomerWorkspaceListResponse> {
    return this.customers.workspaces(id);
  }

  @Get('notes')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listNotesOfAccount',
    summary: 'Lists what staff has noted of an account, newest first.',
  })
  @ApiOkResponse({ description: 'A page of notes.', type: NoteListResponse })
  @ApiErrors(NO_ACCOUNT)
  notes(@Param() { id }: AccountPath, @Query() query: PageQuery): Promise<NoteListResponse> {
    return this.customers.notes(id, query);
  }

  @Post('notes')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'addNoteToAccount', summary: 'Notes something of an account, for staff.' })
  @ApiCreatedResponse({ description: 'The note.', type: NoteResponse })
  @ApiErrors(NO_ACCOUNT)
  addNote(
    @CurrentActor() staff: Actor,
    @Param() { id }: AccountPath,
    @Body() body: CreateNoteDto,
  ): Promise<NoteResponse> {
    return this.customers.addNote(staff, id, body);
  }
}
