import { Module } from '@nestjs/common';
import { AgentProxy } from './agent-proxy';
import { GatewayProxy } from './gateway-proxy';
import { ProxyMetrics } from './proxy-metrics';
import { RouterCostProxy } from './router-cost-proxy';

/** Forwards requests to other services of the platform. */
@Module({
  providers: [ProxyMetrics, AgentProxy, GatewayProxy, RouterCostProxy],
  exports: [AgentProxy, GatewayProxy, RouterCostProxy],
})
export class ServiceProxyModule {}
