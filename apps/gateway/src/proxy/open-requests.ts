import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from '@inference/http';
import { Gauge } from 'prom-client';

type RequestKind = 'stream' | 'plain';

/** Counts the requests that are being served, also those whose client has left and that are still billed. The process ends after the last one. */
@Injectable()
export class OpenRequests implements OnApplicationShutdown {
  private readonly counts: Record<RequestKind, number> = { stream: 0, plain: 0 };
  private onLast: (() => void) | undefined;

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
    if (!this.areOpen) this.onLast?.();
  }

  /** The clients of what is open have left by now. */
  async onApplicationShutdown(): Promise<void> {
    if (this.areOpen) await new Promise<void>((resolve) => (this.onLast = resolve));
  }

  private get areOpen(): boolean {
    return this.counts.stream + this.counts.plain > 0;
  }
}
