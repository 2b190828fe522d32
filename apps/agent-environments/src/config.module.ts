import { type DynamicModule, Global, Module } from '@nestjs/common';
import { API_KEY_CONFIG, apiKeyOf } from './authentication/api-key.config';
import { type AgentEnvironmentsConfig } from './config';

/** Provides each feature with its own slice of the configuration. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: AgentEnvironmentsConfig): DynamicModule {
    const slices = [{ provide: API_KEY_CONFIG, useValue: apiKeyOf(config) }];
    return { module: ConfigModule, providers: slices, exports: slices.map(({ provide }) => provide) };
  }
}
