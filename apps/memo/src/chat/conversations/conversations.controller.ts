import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { pageQuery, type PageQuery, ValidQuery } from '@inference/http';
import { CurrentMember, type Member } from '../../access/member';
import { RequiresRole } from '../../access/workspace.guard';
import { messagesQuery, type MessagesQuery } from './conversation.dto';
import { ConversationsService } from './conversations.service';

/** The caller's conversations in a workspace. */
@Controller('v1/workspaces/:workspace_id/conversations')
@RequiresRole('viewer')
export class ConversationsController {
  constructor(private readonly conversations: ConversationsService) {}

  /** `{conversations, next_cursor}`, newest first. */
  @Get()
  list(@CurrentMember() member: Member, @ValidQuery(pageQuery) query: PageQuery) {
    return this.conversations.list(member, query);
  }

  /** The conversation with its `messages`, oldest first, and `has_more`. */
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
