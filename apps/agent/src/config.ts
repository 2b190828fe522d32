import { env, loadConfig } from '@inference/config';
import { z } from 'zod';

const schema = z.object({
  ...env.service,
  ...env.database,
  ...env.callers,
  /** The gateway that serves the models. */
  GATEWAY_URL: env.httpUrl(),
});

/** The names of everything it reads. */
export const VARIABLES = Object.keys(schema.shape);

export type AgentConfig = z.output<typeof schema>;

/** The configuration from the environment; throws a ConfigError that names every fault. */
export function readAgentConfig(environment?: NodeJS.ProcessEnv): AgentConfig {
  return loadConfig(schema, environment);
}
