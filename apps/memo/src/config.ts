import { env, loadConfig } from '@inference/config';
import { z } from 'zod';

const slug = z.string().min(1).max(200);

const schema = z.object({
  ...env.service,
  ...env.database,
  ...env.callers,
  /** The gateway that serves the models. */
  GATEWAY_URL: env.httpUrl(),
  /** What proves to the gateway that this service asks, on whosever behalf. */
  GATEWAY_CREDENTIAL: env.serviceSecret(),
  /** What writes the answers; without it they are made of sentences of the documents. */
  CHAT_MODEL: slug.optional(),
  /** Makes passages findable by what they mean, beside the words that they hold; without it by the words alone. */
  EMBEDDING_MODEL: slug.optional(),
  /** The cosine to the question from which on a passage is found by what it means; models differ in what is near. */
  EMBEDDING_LEAST_COSINE: env.number(0, 1).default(0.4),
  /** The longest answer. */
  ANSWER_MAX_TOKENS: env.integer(1, 100_000).default(1_024),
  /** How long a model may say nothing, at first and in the middle, before its answer has failed. */
  MODEL_SILENCE_TIMEOUT_SECONDS: env.number(0.05, 3600).default(330),
  /** The largest file that is taken. */
  MAX_DOCUMENT_BYTES: env.integer(1, 1_073_741_824).default(104_857_600),
  /** The longest text that a file may hold; a longer one fails. */
  MAX_DOCUMENT_CHARACTERS: env.integer(1, 1_073_741_824).default(67_108_864),
  /** Those that an account has made and that are still there. */
  MAX_ACCOUNT_WORKSPACES: env.integer(1, 100_000).default(100),
  MAX_WORKSPACE_DOCUMENTS: env.integer(1, 100_000_000).default(100_000),
  /** Of the newest version of each document, as it was uploaded; text, index and older versions come on top. */
  MAX_WORKSPACE_BYTES: env.integer(1, 1_125_899_906_842_624).default(10_737_418_240),
  /** Processes beside this one that read documents, one at a time each; 0 leaves them to other hosts. */
  INGESTION_WORKERS: env.integer(0, 64).default(2),
  /** What reading one document may take of memory, in MiB, before it has failed. */
  INGESTION_MEMORY_MEGABYTES: env.integer(64, 65_536).default(512),
  /** How long the text of a document may take to be read. */
  EXTRACTION_TIMEOUT_SECONDS: env.number(0.05, 86_400).default(300),
  /** A reader that takes nothing of its stream for so long is dropped. */
  CLIENT_STALL_TIMEOUT_SECONDS: env.number(0.05, 3600).default(60),
  HEARTBEAT_SECONDS: env.number(0.05, 60).default(15),
  /** How long a process that is stopped lets its answers run on. */
  SHUTDOWN_GRACE_SECONDS: env.number(0, 3600).default(25),
});

/** The names of everything it reads. */
export const VARIABLES = Object.keys(schema.shape);

export type MemoConfig = z.output<typeof schema>;

export const MEMO_CONFIG = Symbol('MEMO_CONFIG');

/** The configuration from the environment; throws a ConfigError that names every fault. */
export function readMemoConfig(environment?: NodeJS.ProcessEnv): MemoConfig {
  return loadConfig(schema, environment);
}
