import { Global, Module } from '@nestjs/common';
import { ConnectionDrain } from './shutdown/connection-drain';
import { HealthController } from './health/health.controller';
import { Metrics } from './metrics/metrics';
import { MetricsServer } from './metrics/metrics-server';

/** What every service has: `GET /healthz`, metrics on a port of their own, and a shutdown that waits for answers. */
@Global()
@Module({
  controllers: [HealthController],
  providers: [ConnectionDrain, Metrics, MetricsServer],
  exports: [Metrics],
})
export class ServiceModule {}
