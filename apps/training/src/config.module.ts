import { type DynamicModule, Global, Module } from '@nestjs/common';
import { CAPABILITIES_CONFIG, PRICES_CONFIG, QUOTAS_CONFIG, type TrainingConfig } from './config';

/** Provides each feature with its own slice of the configuration. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: TrainingConfig): DynamicModule {
    const slices = [
      { provide: PRICES_CONFIG, useValue: config.prices },
      { provide: CAPABILITIES_CONFIG, useValue: config.capabilities },
      { provide: QUOTAS_CONFIG, useValue: config.quotas },
    ];
    return { module: ConfigModule, providers: slices, exports: slices.map(({ provide }) => provide) };
  }
}
