import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module';
import { SearchModule } from '../retrieval/search/search.module';
import { ChatController } from './chat.controller';
import { ChatService } from './chat.service';
import { ConversationsModule } from './conversations/conversations.module';

/** Answers with citations, and the conversations that they belong to. */
@Module({
  imports: [ConversationsModule, ModelsModule, SearchModule],
  controllers: [ChatController],
  providers: [ChatService],
})
export class ChatModule {}
