import { env, loadConfig } from '@inference/config';
import { z } from 'zod';

const DEFAULT_CONTEXT_TOKENS = 32_768;
const MOST_DEFAULT_OUTPUT_TOKENS = 4_096;

const modelLimits = z
  .object({
    /** What the model can be told and answer at once. */
    context_tokens: z.int().positive().default(DEFAULT_CONTEXT_TOKENS),
    /** What is left free of it for the answer; a quarter, but no more than 4096, unless told. */
    max_output_tokens: z.int().positive().optional(),
  })
  .transform(({ context_tokens: context, max_output_tokens: output }) => ({
    context_tokens: context,
    max_output_tokens: output ?? Math.min(MOST_DEFAULT_OUTPUT_TOKENS, Math.ceil(context / 4)),
  }))
  .refine(
    ({ context_tokens: context, max_output_tokens: output }) => output < context,
    `max_output_tokens must be less than context_tokens (${DEFAULT_CONTEXT_TOKENS} unless told)`,
  );

const slug = z.string().min(1).max(200);

const schema = z.object({
  ...env.service,
  ...env.database,
  ...env.callers,
  /** The gateway that serves the models. */
  GATEWAY_URL: env.httpUrl(),
  /** What proves to the gateway that this service asks, on whosever behalf. */
  GATEWAY_CREDENTIAL: env.serviceSecret(),
  /** What sessions use that name no model. */
  DEFAULT_MODEL: slug,
  /** By model slug; `*` is for every model that is not named. The gateway takes the same. */
  MODEL_LIMITS: env.json(z.record(slug, modelLimits)).default({}),
  /** How long a model may say nothing, at first and in the middle, before its turn has failed. */
  MODEL_SILENCE_TIMEOUT_SECONDS: env.number(0.05, 3600).default(330),
  /** Turns that one process runs at a time; what waits in the queue waits on, other streams are refused. */
  MAX_RUNNING_TURNS: env.integer(1, 100_000).default(5_000),
  /** After so long without renewal another process takes this one for dead and its turns for failed. */
  REPLICA_TTL_SECONDS: env.number(1, 20).default(12),
  /** How long a process that is stopped lets its turns run on. */
  SHUTDOWN_GRACE_SECONDS: env.number(0, 3600).default(25),
  /** A reader that takes nothing of its stream for so long is dropped; it can resume. */
  CLIENT_STALL_TIMEOUT_SECONDS: env.number(0.05, 3600).default(60),
  HEARTBEAT_SECONDS: env.number(0.05, 60).default(15),
  /** How long the streams of a turn that has ended can be resumed. */
  FRAME_RETENTION_HOURS: env.number(0.1, 8760).default(24),
});

/** The names of everything it reads. */
export const VARIABLES = Object.keys(schema.shape);

export type AgentConfig = z.output<typeof schema>;

/** The configuration from the environment; throws a ConfigError that names every fault. */
export function readAgentConfig(environment?: NodeJS.ProcessEnv): AgentConfig {
  return loadConfig(schema, environment);
}

/** What a model can be told, and what of it is left for the answer, in tokens. */
export function limitsOf({ MODEL_LIMITS: limits }: AgentConfig, model: string): z.output<typeof modelLimits> {
  return (Object.hasOwn(limits, model) ? limits[model] : limits['*']) ?? modelLimits.parse({});
}

export const AGENT_CONFIG = Symbol('AGENT_CONFIG');
