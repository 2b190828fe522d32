import { env, loadConfig } from '@inference/config';
import { rateLimitFields } from '@inference/rate-limits';
import { z } from 'zod';
import { capabilitiesFields, capabilitiesOf } from './capabilities/capabilities.config';
import { pricesFields, pricesOf } from './prices/prices.config';
import { quotasFields, quotasOf } from './quotas/quotas.config';
import { trainersFields, trainersOf } from './trainers/trainers.config';

export const fields = z.object({
  ...env.service,
  ...env.database,
  ...env.callers,
  ...rateLimitFields,
  ...pricesFields,
  ...capabilitiesFields,
  ...quotasFields,
  ...trainersFields,
});

const schema = fields.transform((config) => ({
  ...config,
  prices: pricesOf(config),
  capabilities: capabilitiesOf(config),
  quotas: quotasOf(config),
  trainers: trainersOf(config),
}));

/** The names of all environment variables that the training service reads. */
export const VARIABLES = Object.keys(fields.shape);

export type TrainingConfig = z.output<typeof schema>;

/** Reads the configuration from the environment. Throws a ConfigError that names every fault. */
export function readTrainingConfig(environment?: NodeJS.ProcessEnv): TrainingConfig {
  return loadConfig(schema, environment);
}
