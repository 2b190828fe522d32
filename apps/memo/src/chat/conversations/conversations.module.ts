import { Module } from '@nestjs/common';
import { ConversationLog } from './conversation-log';
import { ConversationsController } from './conversations.controller';
import { ConversationsService } from './conversations.service';

@Module({
  controllers: [ConversationsController],
  providers: [ConversationLog, ConversationsService],
  exports: [ConversationLog],
})
export class ConversationsModule {}
