import { env, loadConfig } from '@inference/config';
import { rateLimitFields } from '@inference/rate-limits';
import { z } from 'zod';

export const schema = z.object({
  ...env.service,
  ...env.database,
  ...env.databaseReplica,
  ...env.callers,
  ...rateLimitFields,
  ...env.sessionCookie,
  ...env.staff,
  /** Comma-separated secrets with which the console calls on behalf of accounts; all are valid. None by default. */
  CONSOLE_CREDENTIALS: env.serviceSecrets().optional(),
});

/** The names of all environment variables that the service reads. */
export const VARIABLES = Object.keys(schema.shape);

export type RouterCostConfig = z.output<typeof schema>;

/** Reads the configuration from the environment. Throws a ConfigError that names every fault. */
export function readRouterCostConfig(environment?: NodeJS.ProcessEnv): RouterCostConfig {
  return loadConfig(schema, environment);
}
