import { type Caller, CurrentCaller, StaffOnly } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountPath } from '../../accounts/accounts.dto';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import {
  AccountSessionPath,
  AccountViewPath,
  AccountViewResponse,
  CreateNoteDto,
  CustomerAgentListResponse,
  CustomerDocumentListResponse,
  CustomerSessionListResponse,
  CustomerWorkspaceListResponse,
  NoteListResponse,
  NoteResponse,
  OpenViewDto,
  TimelineResponse,
} from './customer-view.dto';
import { ListOrCsv } from '../../lists/csv-list';
import { TimeRangeQuery } from '../../validation/time-range.dto';
import { AccountViewsService } from './account-views.service';
import { CustomerViewService } from './customer-view.service';

const NO_ACCOUNT = { 404: 'There is no such account.' };

/** What support reads of a customer. Nothing of what a customer has written to a model is in it. */
@Controller('api/admin/accounts/:id')
@ApiTags('Support')
@StaffOnly()
export class CustomerViewController {
  constructor(
    private readonly customers: CustomerViewService,
    private readonly views: AccountViewsService,
  ) {}

  @Get('timeline')
  @ApiOperation({
    operationId: 'readTimelineOfAccount',
    summary: 'Lists what happened to an account, newest first.',
    description:
      'Sign-ins and other events of its credentials, what staff did to it, payments, failed calls, changes of the prices of models that it uses, and notes.',
  })
  @ListOrCsv({
    description: 'A page of the timeline.',
    type: TimelineResponse,
    rows: 'entries',
    mostRows: 10_000,
    columns: 'at kind type id actor_id details'.split(' '),
  })
  @ApiErrors(NO_ACCOUNT)
  timeline(@Param() { id }: AccountPath, @Query() query: TimeRangeQuery): Promise<TimelineResponse> {
    return this.customers.timeline(id, query);
  }

  @Get('sessions')
  @ApiOperation({
    operationId: 'listSessionsOfAccount',
    summary: 'Lists where an account is signed in, newest use first.',
  })
  @ListOrCsv({
    description: 'The sessions.',
    type: CustomerSessionListResponse,
    rows: 'sessions',
    columns: 'id device ip_address created_at last_used_at'.split(' '),
  })
  @ApiErrors(NO_ACCOUNT)
  sessions(@Param() { id }: AccountPath): Promise<CustomerSessionListResponse> {
    return this.customers.sessions(id);
  }

  @Delete('sessions/:sessionId')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'endSessionOfAccount',
    summary: 'Ends a session of an account, which sees it as an event.',
    description: 'Only an admin may end one of staff.',
  })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ApiErrors({ 404: 'The account has no such live session.' })
  endSession(
    @CurrentActor() staff: Actor,
    @CurrentCaller() { role }: Caller,
    @Param() { id, sessionId }: AccountSessionPath,
  ): Promise<void> {
    return this.views.endSession({ ...staff, role }, id, sessionId);
  }

  @Post('views')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'openViewOfAccount',
    summary: 'Lets the caller see the console as a customer does, read only, for 30 minutes.',
    description:
      'With the header `X-Account-View` of this id, and the same session, `GET` answers of the console are those of the customer: figures, lists and settings, not what it has written, and no downloads. Everything else is 403 `read_only_view`. The view ends with the session and with the role, and is then 403 `view_ended`. Beginning and end are events that the customer sees.',
  })
  @ApiCreatedResponse({ description: 'The view.', type: AccountViewResponse })
  @ApiErrors({ ...NO_ACCOUNT, 409: 'The account is one of staff.' })
  openView(
    @CurrentActor() staff: Actor,
    @Param() { id }: AccountPath,
    @Body() { reason }: OpenViewDto,
  ): Promise<AccountViewResponse> {
    return this.views.open(staff, id, reason);
  }

  @Delete('views/:viewId')
  @HttpCode(204)
  @ApiOperation({ operationId: 'endViewOfAccount', summary: 'Ends a view of an account by the caller.' })
  @ApiNoContentResponse({ description: 'The view has ended.' })
  @ApiErrors({ 404: 'The caller has no such view of the account, or it has ended.' })
  endView(@CurrentActor() staff: Actor, @Param() { id, viewId }: AccountViewPath): Promise<void> {
    return this.views.end(staff, id, viewId);
  }

  @Get('agents')
  @ApiOperation({
    operationId: 'listAgentsOfAccount',
    summary: 'Lists the agent sessions of an account, newest first, without what was said in them.',
  })
  @ListOrCsv({
    description: 'The agent sessions.',
    type: CustomerAgentListResponse,
    rows: 'agents',
    columns: 'id model api_key_id turns created_at'.split(' '),
  })
  @ApiErrors(NO_ACCOUNT)
  agents(@Param() { id }: AccountPath): Promise<CustomerAgentListResponse> {
    return this.customers.agents(id);
  }

  @Get('workspaces')
  @ApiOperation({
    operationId: 'listWorkspacesOfAccount',
    summary: 'Lists the workspaces of which an account is a member, without what they hold.',
  })
  @ListOrCsv({
    description: 'The workspaces.',
    type: CustomerWorkspaceListResponse,
    rows: 'workspaces',
    columns: 'id name role is_creator member_since'.split(' '),
  })
  @ApiErrors(NO_ACCOUNT)
  workspaces(@Param() { id }: AccountPath): Promise<CustomerWorkspaceListResponse> {
    return this.customers.workspaces(id);
  }

  @Get('documents')
  @ApiOperation({
    operationId: 'listDocumentsOfAccount',
    summary:
      'Lists the documents that an account has uploaded to workspaces, newest first, without what they say.',
  })
  @ListOrCsv({
    description: 'A page of documents.',
    type: CustomerDocumentListResponse,
    rows: 'documents',
    columns:
      'id name workspace_id workspace_name media_type bytes status error_code version serving_version created_at updated_at'.split(
        ' ',
      ),
  })
  @ApiErrors(NO_ACCOUNT)
  documents(@Param() { id }: AccountPath, @Query() query: PageQuery): Promise<CustomerDocumentListResponse> {
    return this.customers.documents(id, query);
  }

  @Get('notes')
  @ApiOperation({
    operationId: 'listNotesOfAccount',
    summary: 'Lists what staff has noted of an account, newest first.',
  })
  @ListOrCsv({
    description: 'A page of notes.',
    type: NoteListResponse,
    rows: 'notes',
    columns: 'id text author_id author_email created_at'.split(' '),
  })
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
