import { env, loadConfig } from '@inference/config';
import { checkStorage, storageBackendOf, storageFields } from '@inference/storage';
import { z } from 'zod';

/**
 * Chosen: with less, the console's report of the last 90 days could begin within an hour whose events are archived. Three months have
 * 89 days or more, so this happens only around 1 May in time zones such as `Asia/Kolkata`.
 */
const MIN_MONTHS = 3;
/** Ten years. Chosen: more is a mistake. */
const MAX_MONTHS = 120;

export const fields = z.object({
  DATABASE_URL: env.database.DATABASE_URL,
  /** How many whole months of usage events stay in the database besides the running one. Without it all of them stay. */
  USAGE_EVENTS_RETENTION_MONTHS: env.integer(MIN_MONTHS, MAX_MONTHS).optional(),
  ...storageFields,
});

const schema = fields.superRefine(checkStorage).transform((config) => ({
  databaseUrl: config.DATABASE_URL,
  retentionMonths: config.USAGE_EVENTS_RETENTION_MONTHS ?? null,
  storage: storageBackendOf(config),
}));

export type UsageArchiveConfig = z.output<typeof schema>;

/** Reads the configuration of `npm run usage`. Throws a ConfigError that names all faults. */
export function readUsageArchiveConfig(environment?: NodeJS.ProcessEnv): UsageArchiveConfig {
  return loadConfig(schema, environment);
}
