import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { addDatabaseGauges, Metrics } from '@inference/http';
import { measureOpenVersions } from './open-versions.repository';

/** Measures how many documents wait for ingestion, and for how long. Every process reports the figures of all workspaces. */
@Injectable()
export class IngestionMetrics {
  constructor(database: Database, { registry }: Metrics) {
    addDatabaseGauges(registry, database, {
      reading: 'open_documents',
      labels: ['status'],
      gauges: [
        {
          name: 'memo_open_documents',
          help: 'Versions of documents that are not read yet.',
          value: ({ documents }) => documents,
        },
        {
          name: 'memo_oldest_open_document_seconds',
          help: 'How long ago the oldest of them was uploaded.',
          value: ({ seconds }) => seconds,
        },
      ],
      read: measureOpenVersions,
    });
  }
}
