import { Module } from '@nestjs/common';
import { AgentProxy, GatewayProxy, RouterCostProxy } from './service-proxies';
import { ProxyMetrics } from './service-proxy';

/** Forwards requests to other services of the platform. */
@Module({
  providers: [ProxyMetrics, AgentProxy, GatewayProxy, RouterCostProxy],
  exports: [AgentProxy, GatewayProxy, RouterCostProxy],
})
export class ServiceProxyModule {}
