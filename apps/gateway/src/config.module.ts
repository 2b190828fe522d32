import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type GatewayConfig } from './config';
import { RELAY_CONFIG } from './idempotency/relay.config';
import { LEASES_CONFIG } from './leases/leases.config';
import { LIMITS_CONFIG } from './limits/limits.config';
import { PRICES_CONFIG } from './prices.module';
import { PROXY_CONFIG } from './proxy/proxy.config';
import { SETTLEMENT_CONFIG } from './settlement/settlement.config';
import { TASKS_CONFIG } from './tasks/tasks.config';
import { UPSTREAMS_CONFIG } from './upstreams/upstreams.config';

/** Provides each feature with its own slice of the configuration. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: GatewayConfig): DynamicModule {
    const slices = [
      { provide: PRICES_CONFIG, useValue: config.prices },
      { provide: UPSTREAMS_CONFIG, useValue: config.upstreams },
      { provide: PROXY_CONFIG, useValue: config.proxy },
      { provide: LEASES_CONFIG, useValue: config.leases },
      { provide: LIMITS_CONFIG, useValue: config.limits },
      { provide: RELAY_CONFIG, useValue: config.relay },
      { provide: SETTLEMENT_CONFIG, useValue: config.settlement },
      { provide: TASKS_CONFIG, useValue: config.tasks },
    ];
    return { module: ConfigModule, providers: slices, exports: slices.map(({ provide }) => provide) };
  }
}
