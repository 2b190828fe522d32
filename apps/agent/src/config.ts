import { env, loadConfig } from '@inference/config';
import { rateLimitFields } from '@inference/rate-limits';
import { z } from 'zod';
import { modelFields, modelsConfigOf } from './models/models.config';
import { replicaFields, replicasConfigOf } from './replicas/replica-heartbeat';
import { shutdownConfigOf, shutdownFields } from './shutdown/shutdown.module';
import { streamFields, streamsConfigOf } from './streams/streams.config';
import { turnFields, turnsConfigOf } from './turns/turns.config';

const serviceCallersFields = {
  /** Comma-separated secrets with which the console calls on behalf of accounts; all are valid. None by default. */
  CONSOLE_CREDENTIALS: env.serviceSecrets().optional(),
};

/** The secrets of each service that may call, by the name of the service. */
type ServiceCallersConfig = Record<'console', string[]>;

const serviceCallersOf = (config: { CONSOLE_CREDENTIALS?: string[] | undefined }): ServiceCallersConfig => ({
  console: config.CONSOLE_CREDENTIALS ?? [],
});

export const fields = z.object({
  ...env.service,
  ...env.database,
  ...env.callers,
  ...rateLimitFields,
  ...serviceCallersFields,
  ...modelFields,
  ...turnFields,
  ...replicaFields,
  ...shutdownFields,
  ...streamFields,
});

const schema = fields.transform((values) => ({
  ...values,
  serviceCallers: serviceCallersOf(values),
  models: modelsConfigOf(values),
  turns: turnsConfigOf(values),
  replicas: replicasConfigOf(values),
  shutdown: shutdownConfigOf(values),
  streams: streamsConfigOf(values),
}));

/** The names of all environment variables that the service reads. */
export const VARIABLES = Object.keys(fields.shape);

export type AgentConfig = z.output<typeof schema>;

/** Reads the configuration from the environment; throws a ConfigError that names every fault. */
export function readAgentConfig(environment?: NodeJS.ProcessEnv): AgentConfig {
  return loadConfig(schema, environment);
}
