import { Module } from '@nestjs/common';
import {
  PlaygroundSettingsController,
  SavedConversationsController,
} from './conversations/conversations.controller';
import { SavedConversationsService } from './conversations/conversations.service';
import { PresetsController } from './presets/presets.controller';
import { PresetsService } from './presets/presets.service';

/** Models with their parameters under names. */
@Module({ controllers: [PresetsController], providers: [PresetsService] })
class PresetsModule {}

/** Conversations with models, and whether they are kept. */
@Module({
  controllers: [SavedConversationsController, PlaygroundSettingsController],
  providers: [SavedConversationsService],
})
class SavedConversationsModule {}

/** What the account saves in the playground. The calls of models are in `inference`. */
@Module({ imports: [PresetsModule, SavedConversationsModule] })
export class SavedPlaygroundModule {}
