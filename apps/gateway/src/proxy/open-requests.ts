import { Injectable } from '@nestjs/common';
import { Metrics } from '@inference/http';
import { Gauge } from 'prom-client';

type RequestKind = 'stream' | 'plain';

/** Counts the requests that are being served, also those whose client has left and that are still billed. */
@Injectable()
export class OpenRequests {
  private readonly counts: Record<RequestKind, number> = { stream: 0, plain: 0 };

  constructor({ registry }: Metrics) {
    const { counts } = this;
    new Gauge({
      name: 'gateway_open_requests',
      help: 'Requests to models that are being served, by whether their answer is a stream.',
      labelNames: ['kind'],
      registers: [registry],
      collect() {
        for (const kind of ['stream', 'plain'] as const) this.set({ kind }, counts[kind]);
      },
    });
  }

  begin(kind: RequestKind): void {
    this.counts[kind] += 1;
  }

  end(kind: RequestKind): void {
    this.counts[kind] -= 1;
  }
}
