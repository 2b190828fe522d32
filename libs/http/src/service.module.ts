import { Global, Module } from '@nestjs/common';
import { ConnectionDrain } from './shutdown/connection-drain';
import { HealthController } from './health/health.controller';
import { Metrics } from './metrics/metrics';
import { MetricsController } from './metrics/metrics.controller';

/** Routes that every service has: /healthz and /metrics. */
@Global()
@Module({
  controllers: [HealthController, MetricsController],
  providers: [ConnectionDrain, Metrics],
  exports: [Metrics],
})
export class ServiceModule {}
