import { Database } from '@inference/database';
import { addDatabaseGauges, Metrics } from '@inference/http';
import { Injectable, Module } from '@nestjs/common';
import { readWaitingWork, type WaitingWork } from './waiting-work.repository';

/** Most items of a kind that are counted. Chosen: far above what any alert asks for, and read in milliseconds. */
const MAX_ITEMS = 10_000;

/** Measures what waits for a payment provider, an issuer of invoices or a mail server. */
@Injectable()
class WaitingWorkMetrics {
  constructor(database: Database, { registry }: Metrics) {
    addDatabaseGauges<WaitingWork>(registry, database, {
      reading: 'waiting_work',
      labels: ['kind', 'provider'],
      gauges: [
        {
          name: 'console_waiting_items',
          help: `Pending payments and refunds, events of providers that wait for a person, invoices that wait for their tax file, and mails to be sent; not above ${MAX_ITEMS} of a kind.`,
          value: ({ items }) => items,
        },
        {
          name: 'console_oldest_waiting_item_seconds',
          help: 'Age of the oldest of those counted; above the limit an older payment may be missing.',
          value: ({ seconds }) => seconds,
        },
      ],
      read: (executor) => readWaitingWork(executor, MAX_ITEMS),
    });
  }
}

/** Measures what waits for systems outside the site. */
@Module({ providers: [WaitingWorkMetrics] })
export class WaitingWorkModule {}
