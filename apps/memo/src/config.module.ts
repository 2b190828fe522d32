import { type DynamicModule, Global, Module } from '@nestjs/common';
import { CHAT_CONFIG } from './chat/chat.config';
import { type MemoConfig } from './config';
import { WORKSPACE_LIMITS } from './documents/documents.config';
import { UPLOADS_CONFIG } from './documents/uploads/uploads.config';
import { INGESTION_CONFIG } from './ingestion/ingestion.config';
import { EXTRACTION_CONFIG } from './ingestion/extraction-thread/extraction.config';
import { MODELS_CONFIG } from './models/models.module';
import { VECTORS_CONFIG } from './retrieval/vectors/vectors.config';
import { KEYS_CONFIG } from './workspaces/keys/workspace-key.strategy';
import { WORKSPACES_CONFIG } from './workspaces/workspaces.config';

/** Provides each feature with its own slice of the configuration. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: MemoConfig): DynamicModule {
    const slices = [
      { provide: CHAT_CONFIG, useValue: config.chat },
      { provide: INGESTION_CONFIG, useValue: config.ingestion },
      { provide: KEYS_CONFIG, useValue: config.keys },
      { provide: MODELS_CONFIG, useValue: config.models },
      { provide: EXTRACTION_CONFIG, useValue: config.extraction },
      { provide: UPLOADS_CONFIG, useValue: config.uploads },
      { provide: VECTORS_CONFIG, useValue: config.vectors },
      { provide: WORKSPACE_LIMITS, useValue: config.workspaceLimits },
      { provide: WORKSPACES_CONFIG, useValue: config.workspaces },
    ];
    return { module: ConfigModule, providers: slices, exports: slices.map(({ provide }) => provide) };
  }
}
