import { env, loadConfig } from '@inference/config';
import { z } from 'zod';
import { apiKeyFields } from './authentication/api-key.config';

export const schema = z.object({ ...env.service, ...apiKeyFields });

/** The names of all environment variables that the service reads. */
export const VARIABLES = Object.keys(schema.shape);

export type AgentEnvironmentsConfig = z.output<typeof schema>;

/** Reads the configuration from the environment. Throws a ConfigError that names every fault. */
export function readAgentEnvironmentsConfig(environment?: NodeJS.ProcessEnv): AgentEnvironmentsConfig {
  return loadConfig(schema, environment);
}
