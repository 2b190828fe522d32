import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TracingShutdown } from '@inference/tracing';
import { BodyMemory } from './bodies/body-memory';
import { ConnectionDrain, ShutdownDelay } from './shutdown';
import { HealthController } from './health.controller';
import { ClockCheck, DatabaseMetrics } from './metrics/database-metrics';
import { Metrics } from './metrics/metrics';
import { MetricsServer } from './metrics/metrics-server';
import { RefusedCalls } from './refused-calls';

export interface BodyMemoryConfig {
  /** Most bytes of request bodies that the process holds at once; an account or address may use a quarter of it. */
  BODY_MEMORY_BYTES?: number | undefined;
}

/**
 * What every service has: `GET /healthz`, metrics on a port of their own, a shutdown that waits for answers and sends the last
 * spans, and the memory for request bodies.
 */
@Global()
@Module({
  controllers: [HealthController],
  providers: [
    ClockCheck,
    ConnectionDrain,
    DatabaseMetrics,
    Metrics,
    RefusedCalls,
    ShutdownDelay,
    TracingShutdown,
    {
      provide: MetricsServer,
      inject: [Metrics],
      useFactory: ({ registry }: Metrics) => new MetricsServer(registry),
    },
  ],
  exports: [Metrics, RefusedCalls],
})
export class ServiceModule {
  static forRoot(config: BodyMemoryConfig): DynamicModule {
    const memory = new BodyMemory(config.BODY_MEMORY_BYTES);
    return {
      module: ServiceModule,
      providers: [{ provide: BodyMemory, useValue: memory }],
      exports: [BodyMemory],
    };
  }
}
