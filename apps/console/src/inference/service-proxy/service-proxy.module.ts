import { Module } from '@nestjs/common';
import { AgentProxy } from './agent-proxy';
import { GatewayProxy } from './gateway-proxy';
import { ProxyMetrics } from './proxy-metrics';

/** Forwards requests to other services of the platform. */
@Module({ providers: [ProxyMetrics, AgentProxy, GatewayProxy], exports: [AgentProxy, GatewayProxy] })
export class ServiceProxyModule {}
