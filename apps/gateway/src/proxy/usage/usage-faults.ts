import { Metrics } from '@inference/http';
import { type UsageFault } from '@inference/metering';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';

/** Counts the reports of upstreams that contradict themselves. */
@Injectable()
export class UsageFaults {
  private readonly reports: Counter<'upstream' | 'fault'>;

  constructor({ registry }: Metrics) {
    this.reports = new Counter({
      name: 'gateway_faulty_usage_total',
      help: 'Answers whose reported usage contradicts itself, by upstream and fault. The larger figure is charged.',
      labelNames: ['upstream', 'fault'],
      registers: [registry],
    });
  }

  count(upstream: string, fault: UsageFault): void {
    this.reports.inc({ upstream, fault });
  }
}
