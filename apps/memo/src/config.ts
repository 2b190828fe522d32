import { env, loadConfig } from '@inference/config';
import { rateLimitFields } from '@inference/rate-limits';
import { z } from 'zod';
import { chatConfig, chatFields } from './chat/chat.config';
import { documentsFields, workspaceLimits } from './documents/documents.config';
import { uploadsConfig, uploadsFields } from './documents/uploads/uploads.config';
import { ingestionConfig, ingestionFields } from './ingestion/ingestion.config';
import { extractionConfig, extractionFields } from './ingestion/extraction-thread/extraction.config';
import { modelsConfig, modelsFields } from './models/models.module';
import { vectorsConfig, vectorsFields } from './retrieval/vectors/vectors.config';
import { keysConfig } from './workspaces/keys/workspace-key.strategy';
import { workspacesConfig, workspacesFields } from './workspaces/workspaces.config';

/** Every variable that the service reads. */
export const fields = z.object({
  ...env.service,
  ...env.database,
  ...env.callers,
  ...env.staff,
  ...rateLimitFields,
  ...modelsFields,
  ...chatFields,
  ...vectorsFields,
  ...uploadsFields,
  ...workspacesFields,
  ...documentsFields,
  ...ingestionFields,
  ...extractionFields,
  /** Time in seconds after which a client that sends or takes nothing is disconnected from its upload or stream. */
  CLIENT_STALL_TIMEOUT_SECONDS: env.number(0.05, 3600).default(30),
});

const schema = fields.transform((config) => ({
  ...config,
  chat: chatConfig(config),
  ingestion: ingestionConfig(config),
  keys: keysConfig(config),
  models: modelsConfig(config),
  extraction: extractionConfig(config),
  uploads: uploadsConfig(config),
  vectors: vectorsConfig(config),
  workspaceLimits: workspaceLimits(config),
  workspaces: workspacesConfig(config),
}));

/** The names of all variables. */
export const VARIABLES = Object.keys(fields.shape);

export type MemoConfig = z.output<typeof schema>;

/** The configuration from the environment; throws a ConfigError that names every fault. */
export function readMemoConfig(environment?: NodeJS.ProcessEnv): MemoConfig {
  return loadConfig(schema, environment);
}
