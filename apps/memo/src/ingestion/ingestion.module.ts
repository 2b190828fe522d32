import { Injectable, Module } from '@nestjs/common';
import { Database, JOB_SCHEMAS } from '@inference/database';
import { addDatabaseGauges, Metrics } from '@inference/http';
import { JobMetrics } from '@inference/jobs';
import { measureOpenVersions, type OpenVersions } from './open-versions.repository';
import { WorkerSupervisor } from './worker-supervisor';

/** Most versions that are counted. Chosen: far above what any alert asks for, and read in milliseconds. */
const MAX_VERSIONS = 10_000;

/** Measures how many documents wait for ingestion, and for how long. Every process reports the figures of all workspaces. */
@Injectable()
class IngestionMetrics {
  constructor(database: Database, { registry }: Metrics) {
    addDatabaseGauges<OpenVersions>(registry, database, {
      reading: 'open_documents',
      labels: ['status'],
      gauges: [
        {
          name: 'memo_open_documents',
          help: `Versions of documents that are not read yet; not above ${MAX_VERSIONS} in all.`,
          value: ({ documents }) => documents,
        },
        {
          name: 'memo_oldest_open_document_seconds',
          help: 'How long ago the oldest of those counted was uploaded.',
          value: ({ seconds }) => seconds,
        },
      ],
      read: (executor) => measureOpenVersions(executor, MAX_VERSIONS),
    });
  }
}

/** The part of ingestion that runs in the service: it starts the worker processes and measures the queue. */
@Module({
  providers: [
    IngestionMetrics,
    WorkerSupervisor,
    {
      provide: JobMetrics,
      inject: [Database, Metrics],
      useFactory: (database: Database, metrics: Metrics) =>
        new JobMetrics(database, metrics, JOB_SCHEMAS.memo),
    },
  ],
})
export class IngestionModule {}
