import { type Caller, CurrentCaller } from '@inference/guards';
import { BodyAs } from '@inference/http';
import { ApiErrors, CodedErrorResponse } from '@inference/openapi';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  ConversationPath,
  ConversationsQuery,
  CreateConversationDto,
  PlaygroundSettingsDto,
  PlaygroundSettingsResponse,
  RenameConversationDto,
  ReplaceConversationDto,
  SavedConversationContentResponse,
  SavedConversationListResponse,
  SavedConversationResponse,
} from './conversations.dto';
import { MAX_CONTENT_BYTES, SavedConversationsService } from './conversations.service';

/** For the title, the revision and white space. */
const ROOM_BESIDES_CONTENT_BYTES = 65_536;
const BODY_LIMIT_BYTES = MAX_CONTENT_BYTES + ROOM_BESIDES_CONTENT_BYTES;
const NO_SUCH_CONVERSATION = { 404: 'The account has no such conversation.' };
const FULL = '`conversations_full`: the account has 500 conversations, or 134,217,728 bytes of them.';

/** Conversations of the playground that are kept for the account. */
@Controller('api/playground/conversations')
@ApiTags('Playground')
export class SavedConversationsController {
  constructor(private readonly conversations: SavedConversationsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listSavedConversations',
    summary: 'Lists the account’s saved conversations.',
  })
  @ApiOkResponse({ description: 'A page of the list.', type: SavedConversationListResponse })
  list(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: ConversationsQuery,
  ): Promise<SavedConversationListResponse> {
    return this.conversations.list(accountId, query);
  }

  @Post()
  @BodyAs('json', BODY_LIMIT_BYTES)
  @ApiOperation({ operationId: 'createSavedConversation', summary: 'Saves a conversation.' })
  @ApiCreatedResponse({ description: 'The new conversation.', type: SavedConversationResponse })
  @ApiConflictResponse({ description: FULL, type: CodedErrorResponse })
  create(
    @CurrentCaller() { accountId }: Caller,
    @Body() body: CreateConversationDto,
  ): Promise<SavedConversationResponse> {
    return this.conversations.create(accountId, body);
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteSavedConversations',
    summary: 'Deletes all saved conversations of the account.',
  })
  @ApiNoContentResponse({ description: 'They are deleted.' })
  removeAll(@CurrentCaller() { accountId }: Caller): Promise<void> {
    return this.conversations.removeAll(accountId);
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'getSavedConversation',
    summary: 'Returns a saved conversation with its content.',
  })
  @ApiOkResponse({ description: 'The conversation.', type: SavedConversationContentResponse })
  @ApiErrors(NO_SUCH_CONVERSATION)
  find(
    @CurrentCaller() { accountId }: Caller,
    @Param() { id }: ConversationPath,
  ): Promise<SavedConversationContentResponse> {
    return this.conversations.find(accountId, id);
  }

  @Put(':id')
  @BodyAs('json', BODY_LIMIT_BYTES)
  @ApiOperation({
    operationId: 'replaceSavedConversation',
    summary: 'Replaces the content of a saved conversation.',
    description: 'Succeeds only if nobody has changed the content since the revision that the body names.',
  })
  @ApiOkResponse({ description: 'The changed conversation.', type: SavedConversationResponse })
  @ApiErrors(NO_SUCH_CONVERSATION)
  @ApiConflictResponse({
    description: `\`conversation_changed\`: the content has another revision by now. ${FULL}`,
    type: CodedErrorResponse,
  })
  replace(
    @CurrentCaller() { accountId }: Caller,
    @Param() { id }: ConversationPath,
    @Body() body: ReplaceConversationDto,
  ): Promise<SavedConversationResponse> {
    return this.conversations.replace(accountId, id, body);
  }

  @Patch(':id')
  @ApiOperation({ operationId: 'renameSavedConversation', summary: 'Renames a saved conversation.' })
  @ApiOkResponse({ description: 'The renamed conversation.', type: SavedConversationResponse })
  @ApiErrors(NO_SUCH_CONVERSATION)
  rename(
    @CurrentCaller() { accountId }: Caller,
    @Param() { id }: ConversationPath,
    @Body() { title }: RenameConversationDto,
  ): Promise<SavedConversationResponse> {
    return this.conversations.rename(accountId, id, title);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteSavedConversation', summary: 'Deletes a saved conversation.' })
  @ApiNoContentResponse({ description: 'The conversation is deleted.' })
  @ApiErrors(NO_SUCH_CONVERSATION)
  remove(@CurrentCaller() { accountId }: Caller, @Param() { id }: ConversationPath): Promise<void> {
    return this.conversations.remove(accountId, id);
  }
}

@Controller('api/playground/settings')
@ApiTags('Playground')
export class PlaygroundSettingsController {
  constructor(private readonly conversations: SavedConversationsService) {}

  @Get()
  @ApiOperation({
    operationId: 'getPlaygroundSettings',
    summary: 'Returns how the account uses the playground.',
  })
  @ApiOkResponse({ description: 'The settings.', type: PlaygroundSettingsResponse })
  settings(@CurrentCaller() { accountId }: Caller): Promise<PlaygroundSettingsResponse> {
    return this.conversations.settings(accountId);
  }

  @Put()
  @ApiOperation({
    operationId: 'putPlaygroundSettings',
    summary: 'Changes how the account uses the playground.',
    description: 'Conversations that are saved already stay until they are deleted.',
  })
  @ApiOkResponse({ description: 'The changed settings.', type: PlaygroundSettingsResponse })
  change(
    @CurrentCaller() { accountId }: Caller,
    @Body() body: PlaygroundSettingsDto,
  ): Promise<PlaygroundSettingsResponse> {
    return this.conversations.changeSettings(accountId, body);
  }
}
