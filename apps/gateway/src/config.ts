import { env, loadConfig } from '@inference/config';
import { decimalToPicos } from '@inference/money';
import { z } from 'zod';

const slug = z.string().min(1).max(200);

const upstream = z.object({
  /** Shown in usage events and logs. */
  name: z.string().regex(/^[a-z0-9._-]{1,64}$/, 'must be 1 to 64 of a-z 0-9 . _ -'),
  /** OpenAI-compatible root, such as http://127.0.0.1:8000/v1. */
  base_url: env.httpUrl(),
  api_key: z.string().min(1).optional(),
  /** The models it serves: a list, or a map from our slug to its own name; every priced model when absent. */
  models: z.union([z.array(slug), z.record(slug, slug)]).optional(),
});

const modelLimits = z.object({
  /** Bounds the prompt of a request whose size does not (pictures, audio). */
  context_tokens: z.int().positive().optional(),
  /** What a chat request without max_tokens is limited to. */
  max_output_tokens: z.int().positive().optional(),
});

const fields = z.object({
  ...env.service,
  ...env.database,
  ...env.callers,
  ...env.trainingPrice,
  /** In the order of preference. */
  UPSTREAMS: env.json(
    z
      .array(upstream)
      .min(1)
      .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'names must differ'),
  ),
  /** By model slug; `*` is for every model that is not named. */
  MODEL_LIMITS: env.json(z.record(slug, modelLimits)).optional(),
  /** What the agent and the memo service call with on behalf of an account; none by default. */
  AGENT_CREDENTIALS: env.serviceSecrets().optional(),
  MEMO_CREDENTIALS: env.serviceSecrets().optional(),
  UPSTREAM_CONNECT_TIMEOUT_SECONDS: env.number(0.05, 60).default(5),
  UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS: env.number(0.05, 3600).default(300),
  UPSTREAM_IDLE_TIMEOUT_SECONDS: env.number(0.05, 3600).default(120),
  /** A client that takes nothing of its stream for so long is taken to have left. */
  CLIENT_STALL_TIMEOUT_SECONDS: env.number(0.05, 3600).default(60),
  /** What a gateway draws from a wallet at a time, in the site's currency. */
  LEASE_AMOUNT: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,12})?$/, 'must be an amount')
    .default('1')
    .transform((value) => decimalToPicos(value)),
  LEASE_TTL_SECONDS: env.integer(1, 3600).default(30),
  /** How long settlement is tried again while the database is away, before the response fails. */
  SETTLEMENT_PATIENCE_SECONDS: env.number(0.1, 300).default(20),
});

/** Looked at when other variables are at fault too, so that every fault is named at once. */
const when = () => true;

/** A secret of two services would be that of neither. */
const schema = fields.refine(
  ({ AGENT_CREDENTIALS, MEMO_CREDENTIALS }) =>
    !MEMO_CREDENTIALS?.some((secret) => AGENT_CREDENTIALS?.includes(secret)),
  { when, path: ['MEMO_CREDENTIALS'], message: 'must have no secret in common with AGENT_CREDENTIALS' },
);

/** The names of everything it reads. */
export const VARIABLES = Object.keys(fields.shape);

export type GatewayConfig = z.output<typeof schema>;
export type UpstreamConfig = z.output<typeof upstream>;

export const readGatewayConfig = (environment?: NodeJS.ProcessEnv): GatewayConfig =>
  loadConfig(schema, environment);

export const GATEWAY_CONFIG = Symbol('GATEWAY_CONFIG');
