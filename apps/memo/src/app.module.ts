import { type DynamicModule, Module } from '@nestjs/common';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule, SQL_POOL, type SqlPool } from '@inference/database';
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
import { IngestionMetrics } from './ingestion/ingestion-metrics';
import { IngestionWorkers } from './ingestion/ingestion-workers';
import { KeysController } from './keys/keys.controller';
import { KeysService } from './keys/keys.service';
import { MembersController } from './members/members.controller';
import { MembersService } from './members/members.service';
import { modelGateway } from './model-gateway';
import { SearchController } from './search/search.controller';
import { SearchService } from './search/search.service';
import { NearChunks } from './vectors/near-chunks';
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
        IngestionMetrics,
        IngestionWorkers,
        KeysService,
        MembersService,
        { provide: ModelGateway, useFactory: () => modelGateway(config) },
        {
          provide: NearChunks,
          useFactory: (pool: SqlPool, models: ModelGateway) => nearChunks(config, pool, models),
          inject: [SQL_POOL, ModelGateway],
        },
        SearchService,
        SourceStore,
        UploadReader,
        WorkspaceGuard,
        WorkspacesService,
      ],
    };
  }
}

function nearChunks(config: MemoConfig, pool: SqlPool, models: ModelGateway): NearChunks | null {
  const { EMBEDDING_MODEL: model, EMBEDDING_LEAST_COSINE: leastCosine } = config;
  return model === undefined ? null : new NearChunks(pool, models, model, leastCosine);
}
