import { env, loadConfig } from '@inference/config';
import { z } from 'zod';

const schema = z.object({
  ...env.service,
  /** The key that every call must bring; without it the calls are open (spec: Authentication, rule 14). */
  API_KEY: env
    .secret()
    .regex(/^[!-~]+$/, 'must have no spaces and no characters beyond ASCII')
    .optional(),
});

/** The names of everything it reads. */
export const VARIABLES = Object.keys(schema.shape);

export type AgentEnvironmentsConfig = z.output<typeof schema>;

/** The configuration from the environment; throws a ConfigError that names every fault. */
export function readAgentEnvironmentsConfig(environment?: NodeJS.ProcessEnv): AgentEnvironmentsConfig {
  return loadConfig(schema, environment);
}
