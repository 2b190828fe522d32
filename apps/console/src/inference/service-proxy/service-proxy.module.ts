import { Module } from '@nestjs/common';
import { AgentProxy } from './agent-proxy';
import { GatewayProxy } from './gateway-proxy';
import { ProxyMetrics } from './proxy-metrics';
import { RouterCostProxy } from './router-cost-proxy';

const PROXIES = [AgentProxy, GatewayProxy, RouterCostProxy];

/** Forwards requests to other services of the platform. */
@Module({ providers: [ProxyMetrics, ...PROXIES], exports: PROXIES })
export class ServiceProxyModule {}
