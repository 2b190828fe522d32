import { type DynamicModule, Module } from '@nestjs/common';
import { SourceFilesModule } from '../documents/source-files/source-files.module';
import { VectorsModule } from '../retrieval/vectors/vectors.module';
import { ExtractionThread } from './extraction-thread/extraction-thread';
import { EXTRACTION_CONFIG, type ExtractionConfig } from './extraction-thread/extraction.config';
import { IngestionQueue, RUNS_LONG_JOBS } from './ingestion-queue';
import { BatchIngestor } from './versions/batch-ingestor';
import { DocumentIngestor } from './versions/document-ingestor';

/** The part of ingestion that runs in a worker process: it takes jobs from the queue. */
@Module({})
export class IngestionQueueModule {
  /** @param runsLongJobs whether this process also reads long documents and deletes discarded data */
  static forRoot(runsLongJobs: boolean): DynamicModule {
    return {
      module: IngestionQueueModule,
      imports: [SourceFilesModule, VectorsModule],
      providers: [
        { provide: RUNS_LONG_JOBS, useValue: runsLongJobs },
        {
          provide: ExtractionThread,
          useFactory: (limits: ExtractionConfig) => new ExtractionThread(limits),
          inject: [EXTRACTION_CONFIG],
        },
        DocumentIngestor,
        BatchIngestor,
        IngestionQueue,
      ],
    };
  }
}
