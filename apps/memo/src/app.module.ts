import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@inference/database';
import { CredentialsModule, SESSION_CREDENTIALS, SuspensionsModule } from '@inference/guards';
import { ServiceModule } from '@inference/http';
import { RefusalLimitModule } from '@inference/rate-limits';
import { ChatModule } from './chat/chat.module';
import { type MemoConfig } from './config';
import { ConfigModule } from './config.module';
import { DocumentsModule } from './documents/documents.module';
import { IngestionModule } from './ingestion/ingestion.module';
import { SearchModule } from './retrieval/search/search.module';
import { WORKSPACE_KEY_CREDENTIALS } from './workspaces/keys/workspace-key.strategy';
import { WorkspacesModule } from './workspaces/workspaces.module';
import { ENTITIES } from './entities';

@Module({})
export class AppModule {
  static forRoot(config: MemoConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule.forRoot(config),
        ConfigModule.forRoot(config),
        RefusalLimitModule.forRoot('memo', config),
        DatabaseModule.forRoot('memo', config, ENTITIES),
        CredentialsModule.forRoot({
          ...config,
          strategies: [WORKSPACE_KEY_CREDENTIALS, SESSION_CREDENTIALS],
          defaultKinds: ['session', 'workspace_key'],
        }),
        SuspensionsModule,
        ChatModule,
        DocumentsModule,
        IngestionModule,
        SearchModule,
        WorkspacesModule,
      ],
    };
  }
}
