import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@inference/database';
import { TracingShutdown } from '@inference/tracing';
import { type MemoConfig } from './config';
import { ConfigModule } from './config.module';
import { IngestionQueueModule } from './ingestion/ingestion-queue.module';
import { ENTITIES } from './entities';

/** A worker process. It reads documents and serves no requests. */
@Module({})
export class IngestionWorkerModule {
  /** @param runsLongJobs whether this process also reads long documents and deletes discarded data */
  static forRoot(config: MemoConfig, runsLongJobs: boolean): DynamicModule {
    return {
      module: IngestionWorkerModule,
      imports: [
        ConfigModule.forRoot(config),
        DatabaseModule.forRoot('memo ingestion', config, ENTITIES),
        IngestionQueueModule.forRoot(runsLongJobs),
      ],
      providers: [TracingShutdown],
    };
  }
}
