import { Global, Module } from '@nestjs/common';
import { ConnectionDrain } from './connection-drain';
import { HealthController } from './health/health.controller';
import { Metrics } from './metrics/metrics';
import { MetricsController } from './metrics/metrics.controller';

/** What every service answers besides its own routes: /healthz and /metrics. */
@Global()
@Module({
  controllers: [HealthController, MetricsController],
  providers: [ConnectionDrain, Metrics],
  exports: [Metrics],
})
export class ServiceModule {}
