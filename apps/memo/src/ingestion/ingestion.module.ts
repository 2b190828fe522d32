import { Module } from '@nestjs/common';
import { Database, JOB_SCHEMAS } from '@inference/database';
import { Metrics } from '@inference/http';
import { JobMetrics } from '@inference/jobs';
import { IngestionMetrics } from './ingestion-metrics';
import { WorkerSupervisor } from './worker-supervisor';

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
