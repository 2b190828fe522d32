import { Injectable } from '@nestjs/common';
import { Metrics } from '@inference/http';
import { Gauge } from 'prom-client';

/** Measures the requests that the console forwards. */
@Injectable()
export class ProxyMetrics {
  private readonly gauge: Gauge;

  constructor(metrics: Metrics) {
    this.gauge = new Gauge({
      name: 'console_forwarded_requests',
      help: 'Requests that wait for an answer of another service, or receive it.',
      labelNames: ['service'],
      registers: [metrics.registry],
    });
  }

  add(service: string): void {
    this.gauge.set({ service }, 0);
  }

  begin(service: string): void {
    this.gauge.inc({ service });
  }

  end(service: string): void {
    this.gauge.dec({ service });
  }
}
