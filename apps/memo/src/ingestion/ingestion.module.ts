import { Module } from '@nestjs/common';
import { IngestionMetrics } from './ingestion-metrics';
import { WorkerSupervisor } from './worker-supervisor';

/** The part of ingestion that runs in the service: it starts the worker processes and measures the queue. */
@Module({ providers: [IngestionMetrics, WorkerSupervisor] })
export class IngestionModule {}
