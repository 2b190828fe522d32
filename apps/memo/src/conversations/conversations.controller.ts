import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { pageQuery, type PageQuery, ValidQuery } from '@inference/http';
import { CurrentMember, type Member } from '../access/member';
import { Needs } from '../access/workspace.guard';
import { messagesQuery, type MessagesQuery } from './conversation.dto';
import { ConversationsService } from './conversations.service';

/** What the caller has asked in a workspace, and what he was answered; nobody else's. */
@Controller('v1/workspaces/:workspace_id/conversations')
@Needs('viewer')
export class ConversationsController {
  constructor(private readonly conversations: ConversationsService) {}

  /** `{conversations, next_cursor}`, newest first. */
  @Get()
  list(@CurrentMember() member: Member, @ValidQuery(pageQuery) query: PageQuery) {
    return this.conversations.list(member, query);
  }

  /** With its `messages`, oldest first, and `has_more`. */
  @Get(':conversation_id')
  find(
    @CurrentMember() member: Member,
    @Param('conversation_id') id: string,
    @ValidQuery(messagesQuery) query: MessagesQuery,
  ) {
    return this.conversations.find(member, id, query);
  }

  @Delete(':conversation_id')
  @HttpCode(204)
  remove(@CurrentMember() member: Member, @Param('conversation_id') id: string) {
    return this.conversations.remove(member, id);
  }
}
