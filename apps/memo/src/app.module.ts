import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule } from '@inference/database';
import { ServiceModule } from '@inference/http';
import { ModelGateway } from '@inference/model-calls';
import { WorkspaceGuard } from './access/workspace.guard';
import { ChatController } from './chat/chat.controller';
import { ChatService } from './chat/chat.service';
import { MEMO_CONFIG, type MemoConfig } from './config';
import { ConversationLog } from './conversations/conversation-log';
import { ConversationsController } from './conversations/conversations.controller';
import { ConversationsService } from './conversations/conversations.service';
import { DocumentsController } from './documents/documents.controller';
import { DocumentsService } from './documents/documents.service';
import { SourceStore } from './documents/source-store';
import { UploadReader } from './documents/upload-reader';
import { IngestionWorkers } from './ingestion/ingestion-workers';
import { KeysController } from './keys/keys.controller';
import { KeysService } from './keys/keys.service';
import { MembersController } from './members/members.controller';
import { MembersService } from './members/members.service';
import { SearchController } from './search/search.controller';
import { SearchService } from './search/search.service';
import { WorkspacesController } from './workspaces/workspaces.controller';
import { WorkspacesService } from './workspaces/workspaces.service';

@Module({})
export class AppModule {
  static forRoot(config: MemoConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule,
        DatabaseModule.forRoot('memo', config),
        CredentialsModule.forRoot({ ...config, defaultKinds: ['session', 'workspace_key'] }),
      ],
      controllers: [
        ChatController,
        ConversationsController,
        DocumentsController,
        KeysController,
        MembersController,
        SearchController,
        WorkspacesController,
      ],
      providers: [
        { provide: MEMO_CONFIG, useValue: config },
        ChatService,
        ConversationLog,
        ConversationsService,
        DocumentsService,
        IngestionWorkers,
        KeysService,
        MembersService,
        { provide: ModelGateway, useFactory: () => modelGateway(config) },
        SearchService,
        SourceStore,
        UploadReader,
        WorkspaceGuard,
        WorkspacesService,
      ],
    };
  }
}

function modelGateway(config: MemoConfig): ModelGateway {
  return new ModelGateway({
    url: config.GATEWAY_URL,
    credential: config.GATEWAY_CREDENTIAL,
    silenceMillis: config.MODEL_SILENCE_TIMEOUT_SECONDS * 1000,
  });
}
