import { env, type Site, TIME_ZONE_BY_SITE } from '@inference/config';
import {
  type ConfiguredDirectory,
  type FillMode,
  MODALITIES,
  OUTPUT_LIMIT_FIELDS,
  UPSTREAM_PROTOCOLS,
} from '@inference/serving';
import { z } from 'zod';

const MAX_SLUG_CHARS = 200;
const slug = z.string().min(1).max(MAX_SLUG_CHARS);

const upstream = z.object({
  /** Name in usage events and logs. */
  name: z.string().regex(/^[a-z0-9._-]{1,64}$/, 'must be 1 to 64 of a-z 0-9 . _ -'),
  /** Root of its API, such as http://127.0.0.1:8000/v1. */
  base_url: env.httpUrl(),
  /** Sent to the upstream as a Bearer token. */
  api_key: z.string().min(1).optional(),
  /** What it speaks; chat completions when absent. */
  protocols: z
    .array(z.enum(UPSTREAM_PROTOCOLS, 'must be chat, responses or messages'))
    .min(1, 'must name one')
    .optional(),
  /** Models that it serves: a list, or a map from the published slug to the upstream's own name; all priced models when absent. */
  models: z.union([z.array(slug), z.record(slug, slug)]).optional(),
});

const modalities = z
  .array(z.enum(MODALITIES, `must be ${MODALITIES.slice(0, -1).join(', ')} or ${MODALITIES.at(-1)}`))
  .min(1, 'must name one');

const modelLimits = z.object({
  /** Context window in tokens: bounds the prompt of a request whose size does not (pictures, audio). */
  context_tokens: z.int().positive().optional(),
  /** Limit in tokens that a chat request without `max_tokens` gets. */
  max_output_tokens: z.int().positive().optional(),
  /** Where the model takes the limit of a chat answer. */
  output_limit_field: z.enum(OUTPUT_LIMIT_FIELDS).optional(),
  input_modalities: modalities.optional(),
  output_modalities: modalities.optional(),
});

export const upstreamsFields = {
  ...env.upstreamEncryption,
  ...env.upstreamNetworks,
  /** JSON array of the model servers, in order of preference. They fill a database that has none. */
  UPSTREAMS: env
    .json(
      z
        .array(upstream)
        .min(1)
        .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'names must differ'),
    )
    .optional(),
  /** JSON object of limits by model slug; `*` is for every model that is not named. They fill a database that has no models. */
  MODEL_LIMITS: env.json(z.record(slug, modelLimits)).optional(),
  /** Whether UPSTREAMS and MODEL_LIMITS also replace what they have filled, as long as no operator has changed it. */
  UPSTREAMS_APPLY: z.enum(['once', 'until_changed'], 'must be once or until_changed').default('once'),
  /** Seconds until a connection to an upstream must be established, unless the upstream says otherwise, as below. */
  UPSTREAM_CONNECT_TIMEOUT_SECONDS: env.number(0.05, 60).default(5),
  /** Seconds until the first byte of an upstream's response. */
  UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS: env.number(0.05, 3600).default(300),
  /** Longest pause in seconds between two chunks of an upstream's response. */
  UPSTREAM_IDLE_TIMEOUT_SECONDS: env.number(0.05, 3600).default(120),
  /** Memory for long answers in bytes; an account may use a quarter of it, or one answer of any length. */
  ANSWER_MEMORY_BYTES: env.integer(16 * 2 ** 20, 2 ** 40).default(256 * 2 ** 20),
};

type UpstreamsFields = z.output<z.ZodObject<typeof upstreamsFields>>;

/** Of upstreams that have none of their own, in milliseconds. */
export interface UpstreamTimeouts {
  connectMillis: number;
  firstByteMillis: number;
  idleMillis: number;
}

export interface UpstreamsConfig {
  timeouts: UpstreamTimeouts;
  /** In which the daily windows of cost prices are. */
  timeZone: string;
  /** What the environment names. */
  configured: ConfiguredDirectory;
  fillMode: FillMode;
  /** Of long answers. */
  answerMemoryBytes: number;
  /** 32 bytes each. The first one encrypts credentials; all decrypt. */
  encryptionKeys: Buffer[];
  /** Whether an upstream of this origin may be in a private network: any one, or those that UPSTREAMS names. */
  mayBePrivate(origin: string): boolean;
}

export const UPSTREAMS_CONFIG = Symbol('UPSTREAMS_CONFIG');

function mayBePrivateOf({ UPSTREAM_PRIVATE_NETWORKS: networks, UPSTREAMS: named }: UpstreamsFields) {
  const origins = new Set(named?.map((upstream) => new URL(upstream.base_url).origin));
  return (origin: string) => networks === 'allowed' || origins.has(origin);
}

export const upstreamsOf = (config: UpstreamsFields & { SITE: Site }): UpstreamsConfig => ({
  mayBePrivate: mayBePrivateOf(config),
  configured: {
    upstreams: (config.UPSTREAMS ?? []).map(
      ({ name, base_url: baseUrl, api_key: apiKey, protocols, models }) => ({
        name,
        baseUrl,
        apiKey,
        protocols,
        models,
      }),
    ),
    models: Object.fromEntries(
      Object.entries(config.MODEL_LIMITS ?? {}).map(([model, limits]) => [
        model,
        {
          contextTokens: limits.context_tokens,
          maxOutputTokens: limits.max_output_tokens,
          outputLimitField: limits.output_limit_field,
          inputModalities: limits.input_modalities,
          outputModalities: limits.output_modalities,
        },
      ]),
    ),
  },
  fillMode: config.UPSTREAMS_APPLY,
  timeZone: TIME_ZONE_BY_SITE[config.SITE],
  answerMemoryBytes: config.ANSWER_MEMORY_BYTES,
  encryptionKeys: config.UPSTREAM_ENCRYPTION_KEYS,
  timeouts: {
    connectMillis: config.UPSTREAM_CONNECT_TIMEOUT_SECONDS * 1000,
    firstByteMillis: config.UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS * 1000,
    idleMillis: config.UPSTREAM_IDLE_TIMEOUT_SECONDS * 1000,
  },
});
