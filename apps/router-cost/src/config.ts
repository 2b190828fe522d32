import { env, loadConfig } from '@inference/config';
import { z } from 'zod';

const schema = z.object({ ...env.service, ...env.database, ...env.callers });

/** The names of everything it reads. */
export const VARIABLES = Object.keys(schema.shape);

export type RouterCostConfig = z.output<typeof schema>;

/** The configuration from the environment; throws a ConfigError that names every fault. */
export function readRouterCostConfig(environment?: NodeJS.ProcessEnv): RouterCostConfig {
  return loadConfig(schema, environment);
}
