import { existsSync, readFileSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type MetricsSource } from './metrics-server';

const EVENT_LOOP_LAG = 'nodejs_eventloop_lag_p99_seconds';

/** The Prometheus registry of the process, and the middleware that measures every request. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private isProcessObserved = false;
  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
    registers: [this.registry],
  });
  private readonly internalErrors = new Counter({
    name: 'http_internal_errors_total',
    help: 'Answers with status 500.',
    registers: [this.registry],
  });

  constructor() {
    new Gauge({
      name: 'inference_build_info',
      help: '1, with the version of the product that runs.',
      labelNames: ['version'],
      registers: [this.registry],
      // One process says it for all workers.
      aggregator: 'max',
    }).set({ version: readProductVersion() }, 1);
  }

  /** Adds the metrics of the process. Their observers cannot be stopped, so only a process that serves metrics has them. */
  observeProcess(): void {
    if (this.isProcessObserved) return;
    collectDefaultMetrics({ register: this.registry });
    // The library serves the average of workers, which hides one that hangs behind others that do not.
    Object.assign(this.registry.getSingleMetric(EVENT_LOOP_LAG)!, { aggregator: 'max' });
    this.isProcessObserved = true;
  }

  /** Gives the primary process of the workers the metrics of this one. */
  joinWorkers(): void {
    AggregatorRegistry.setRegistries(this.registry);
  }

  measure(request: IncomingMessage & { route?: unknown }, response: ServerResponse, next: () => void): void {
    const startedAt = performance.now();
    response.on('close', () => {
      const route = (request.route as { path?: string } | undefined)?.path ?? 'unmatched';
      this.requests.observe(
        { method: request.method ?? '', route, status: response.statusCode },
        (performance.now() - startedAt) / 1000,
      );
      if (response.statusCode === 500) this.internalErrors.inc();
    });
    next();
  }
}

/** Answers the primary process when it asks for metrics: with none until `joinWorkers`, so that it need not wait for a start. */
export function answerPrimary(): void {
  // The constructor is what answers.
  new AggregatorRegistry();
}

/** The sums over all workers, for their primary process. A gauge may name another way to aggregate it. */
export function metricsOfWorkers(): MetricsSource {
  const registry = new AggregatorRegistry();
  return { metrics: () => registry.clusterMetrics(), contentType: registry.contentType };
}

/** Returns the version in `package.json`: that of the checkout, or of the image. */
function readProductVersion(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}
