import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { Metrics } from '@inference/http';
import { Gauge } from 'prom-client';
import { measureOpenVersions } from './open-versions.repository';

const STATUSES = ['queued', 'processing'] as const;

/**
 * Measures how many documents wait for ingestion, and for how long. Every process reports the figures of all
 * workspaces.
 */
@Injectable()
export class IngestionMetrics {
  private readonly documents: Gauge<'status'>;
  private readonly seconds: Gauge<'status'>;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    { registry }: Metrics,
  ) {
    // The gauges are collected at the same time and share one query.
    const collect = () => (this.looking ??= this.look().finally(() => (this.looking = undefined)));
    this.documents = new Gauge({
      name: 'memo_open_documents',
      help: 'Versions of documents that are not read yet.',
      labelNames: ['status'],
      registers: [registry],
      collect,
    });
    this.seconds = new Gauge({
      name: 'memo_oldest_open_document_seconds',
      help: 'How long ago the oldest of them was uploaded.',
      labelNames: ['status'],
      registers: [registry],
      collect,
    });
  }

  /** Without a database the gauges are NaN, and all other metrics are still served. */
  private async look(): Promise<void> {
    const open = await measureOpenVersions(this.database).catch(() => null);
    for (const status of STATUSES) {
      const found = open?.find((row) => row.status === status);
      this.documents.set({ status }, open ? (found?.documents ?? 0) : NaN);
      this.seconds.set({ status }, open ? (found?.seconds ?? 0) : NaN);
    }
  }
}
