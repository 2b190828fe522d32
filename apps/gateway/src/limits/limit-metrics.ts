import { Metrics } from '@inference/http';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { type LimitName } from './limit-headers';

/** Counts what limits decide. */
@Injectable()
export class LimitMetrics {
  private readonly refusals: Counter<'limit'>;
  private readonly admissions: Counter<string>;

  constructor({ registry }: Metrics) {
    this.refusals = new Counter({
      name: 'gateway_limit_refusals_total',
      help: 'Requests that a limit has refused, by the limit.',
      labelNames: ['limit'],
      registers: [registry],
    });
    this.admissions = new Counter({
      name: 'gateway_limited_requests_total',
      help: 'Requests of callers with limits that were admitted.',
      registers: [registry],
    });
  }

  refused(limit: LimitName): void {
    this.refusals.inc({ limit });
  }

  admitted(): void {
    this.admissions.inc();
  }
}
