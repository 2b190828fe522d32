import { env, loadConfig } from '@inference/config';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { z } from 'zod';
import { API_KEY_CONFIG, apiKeyFields, apiKeyOf } from './environments-key.strategy';

export const schema = z.object({ ...env.service, ...apiKeyFields });

/** The names of all environment variables that the service reads. */
export const VARIABLES = Object.keys(schema.shape);

export type AgentEnvironmentsConfig = z.output<typeof schema>;

/** Reads the configuration from the environment. Throws a ConfigError that names every fault. */
export function readAgentEnvironmentsConfig(environment?: NodeJS.ProcessEnv): AgentEnvironmentsConfig {
  return loadConfig(schema, environment);
}

/** Provides each feature with its own slice of the configuration. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: AgentEnvironmentsConfig): DynamicModule {
    const slices = [{ provide: API_KEY_CONFIG, useValue: apiKeyOf(config) }];
    return { module: ConfigModule, providers: slices, exports: slices.map(({ provide }) => provide) };
  }
}
