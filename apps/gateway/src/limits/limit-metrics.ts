import { Metrics } from '@inference/http';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { LIMIT_NAMES, type LimitName } from './limit-headers';

/** Counts what limits decide. */
@Injectable()
export class LimitMetrics {
  private readonly refusals: Counter<'limit'>;
  private readonly admissions: Counter<string>;
  private readonly tightAdmissions: Counter<'limit'>;

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
    this.tightAdmissions = new Counter({
      name: 'gateway_tight_limit_requests_total',
      help: 'Admitted requests with which more than 80 % of a limit was used, by the limit.',
      labelNames: ['limit'],
      registers: [registry],
    });
    // A rate begins with the first one, not with the second.
    for (const limit of LIMIT_NAMES)
      for (const counter of [this.refusals, this.tightAdmissions]) counter.inc({ limit }, 0);
  }

  refused(limit: LimitName): void {
    this.refusals.inc({ limit });
  }

  /** @param tight the limits of which little is left */
  admitted(tight: readonly LimitName[]): void {
    this.admissions.inc();
    for (const limit of tight) this.tightAdmissions.inc({ limit });
  }
}
