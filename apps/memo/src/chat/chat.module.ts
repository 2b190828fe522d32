import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module';
import { SearchModule } from '../retrieval/search/search.module';
import { ChatController } from './chat.controller';
import { ChatService } from './chat.service';
import { ConversationsModule } from './conversations/conversations.module';
import { FeedbackController } from './feedback/feedback.controller';
import { FeedbackService } from './feedback/feedback.service';
import { OptionsController } from './options/options.controller';

/** Answers with citations, and the conversations that they belong to. */
@Module({
  imports: [ConversationsModule, ModelsModule, SearchModule],
  controllers: [ChatController, FeedbackController, OptionsController],
  providers: [ChatService, FeedbackService],
})
export class ChatModule {}
