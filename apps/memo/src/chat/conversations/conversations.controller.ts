import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { CurrentMember, type Member } from '../../access/member';
import { RequiresRole } from '../../access/workspace.guard';
import {
  AnswerPassagesResponse,
  ConversationListResponse,
  ConversationMessagesResponse,
  ConversationPath,
  MessagePath,
  MessagesQuery,
} from './conversation.dto';
import { ConversationsService } from './conversations.service';

const NO_SUCH_CONVERSATION = { 404: 'The caller has no such conversation in the workspace.' };

/** The caller's conversations in a workspace. */
@Controller('v1/workspaces/:workspace_id/conversations')
@ApiTags('Conversations')
export class ConversationsController {
  constructor(private readonly conversations: ConversationsService) {}

  @Get()
  @RequiresRole('viewer')
  @ApiOperation({
    operationId: 'listConversations',
    summary: 'Lists the caller’s conversations in a workspace.',
    description: 'A key sees only the conversations that it has started.',
  })
  @ApiOkResponse({ description: 'A page of the list.', type: ConversationListResponse })
  list(@CurrentMember() member: Member, @Query() query: PageQuery): Promise<ConversationListResponse> {
    return this.conversations.list(member, query);
  }

  @Get(':conversation_id')
  @ApiErrors(NO_SUCH_CONVERSATION)
  @RequiresRole('viewer')
  @ApiOperation({
    operationId: 'getConversation',
    summary: 'Returns a conversation with a page of its messages.',
    description: 'The next page starts `after` the `n` of the last message.',
  })
  @ApiOkResponse({ description: 'The conversation.', type: ConversationMessagesResponse })
  find(
    @CurrentMember() member: Member,
    @Param() { conversation_id: id }: ConversationPath,
    @Query() query: MessagesQuery,
  ): Promise<ConversationMessagesResponse> {
    return this.conversations.find(member, id, query);
  }

  @Get(':conversation_id/messages/:message_id/passages')
  @ApiErrors({ 404: 'The caller has no such conversation in the workspace, or it has no such message.' })
  @RequiresRole('viewer')
  @ApiOperation({
    operationId: 'listAnswerPassages',
    summary: 'Returns the passages from which an answer was written, with their scores.',
    description:
      'Passages of versions that are no longer served are missing. A question has none, and neither has an answer of an earlier version of the service.',
  })
  @ApiOkResponse({ description: 'The passages.', type: AnswerPassagesResponse })
  passages(
    @CurrentMember() member: Member,
    @Param() { conversation_id: conversationId, message_id: messageId }: MessagePath,
  ): Promise<AnswerPassagesResponse> {
    return this.conversations.passages(member, conversationId, messageId);
  }

  @Delete(':conversation_id')
  @ApiErrors(NO_SUCH_CONVERSATION)
  @RequiresRole('viewer')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteConversation', summary: 'Deletes a conversation.' })
  @ApiNoContentResponse({ description: 'The conversation is deleted.' })
  remove(@CurrentMember() member: Member, @Param() { conversation_id: id }: ConversationPath): Promise<void> {
    return this.conversations.remove(member, id);
  }
}
