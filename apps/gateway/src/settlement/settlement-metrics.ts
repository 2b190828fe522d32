import { Injectable } from '@nestjs/common';
import { Metrics } from '@inference/http';
import { Counter, Gauge, Histogram } from 'prom-client';

const OUTCOMES = ['settled', 'not_covered', 'failed', 'unknown'] as const;
type EventOutcome = (typeof OUTCOMES)[number];

/** What waits for settlement in this process. */
export interface Unsettled {
  events: number;
  /** Further ones whose request has ended and that may have been charged. */
  undecided: number;
  /** Age of the oldest one; 0 without one. */
  oldestSeconds: number;
}

/** Measures settlement: how long usage events wait, and how their batches end. */
@Injectable()
export class SettlementMetrics {
  private readonly batches: Histogram<'outcome'>;
  private readonly retries: Counter;
  private readonly events: Counter<'outcome'>;

  constructor(private readonly metrics: Metrics) {
    const registers = [metrics.registry];
    this.batches = new Histogram({
      name: 'gateway_settlement_batch_seconds',
      help: 'Time that a batch of usage events took, with its retries.',
      labelNames: ['outcome'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
      registers,
    });
    this.retries = new Counter({
      name: 'gateway_settlement_retries_total',
      help: 'Further attempts to write a batch.',
      registers,
    });
    this.events = new Counter({
      name: 'gateway_usage_events_total',
      help: 'Attempts to settle usage events, by how they ended.',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of ['settled', 'failed']) this.batches.zero({ outcome });
    for (const outcome of OUTCOMES) this.events.inc({ outcome }, 0);
  }

  watch(unsettled: () => Unsettled): void {
    const registers = [this.metrics.registry];
    new Gauge({
      name: 'gateway_unsettled_events',
      help: 'Usage events that wait for settlement.',
      registers,
      collect() {
        this.set(unsettled().events);
      },
    });
    new Gauge({
      name: 'gateway_undecided_events',
      help: 'Usage events of ended requests that may have been charged. The gateway asks the database until it knows.',
      registers,
      collect() {
        this.set(unsettled().undecided);
      },
    });
    new Gauge({
      name: 'gateway_oldest_unsettled_event_seconds',
      help: 'How long the oldest of them has waited.',
      registers,
      aggregator: 'max',
      collect() {
        this.set(unsettled().oldestSeconds);
      },
    });
  }

  countBatch(outcome: 'settled' | 'failed', seconds: number): void {
    this.batches.observe({ outcome }, seconds);
  }

  countRetry(): void {
    this.retries.inc();
  }

  countEvents(outcome: EventOutcome, events: number): void {
    if (events > 0) this.events.inc({ outcome }, events);
  }
}
