import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '@inference/database';
import { ModelGateway } from '@inference/model-calls';
import { MEMO_CONFIG, type MemoConfig } from '../config';
import { SourceStore } from '../documents/source-store';
import { modelGateway } from '../model-gateway';
import { Embedder } from '../vectors/embedder';
import { IngestionQueue, TAKES_LONG } from './ingestion-queue';
import { Ingestor } from './ingestor';

/** A process that reads documents; it serves no requests. */
@Module({})
export class IngestionModule {
  static forRoot(config: MemoConfig, takesLong: boolean): DynamicModule {
    return {
      module: IngestionModule,
      imports: [DatabaseModule.forRoot('memo ingestion', config)],
      providers: [
        { provide: MEMO_CONFIG, useValue: config },
        { provide: TAKES_LONG, useValue: takesLong },
        { provide: ModelGateway, useFactory: () => modelGateway(config) },
        Embedder,
        IngestionQueue,
        Ingestor,
        SourceStore,
      ],
    };
  }
}
