import { env } from '@inference/config';
import { z } from 'zod';

const MAX_SLUG_CHARS = 200;
const slug = z.string().min(1).max(MAX_SLUG_CHARS);

const upstream = z.object({
  /** Name in usage events and logs. */
  name: z.string().regex(/^[a-z0-9._-]{1,64}$/, 'must be 1 to 64 of a-z 0-9 . _ -'),
  /** Root of the OpenAI-compatible API, such as http://127.0.0.1:8000/v1. */
  base_url: env.httpUrl(),
  /** Sent to the upstream as a Bearer token. */
  api_key: z.string().min(1).optional(),
  /** Models that it serves: a list, or a map from the published slug to the upstream's own name; all priced models when absent. */
  models: z.union([z.array(slug), z.record(slug, slug)]).optional(),
});

export const upstreamsFields = {
  /** JSON array of the model servers, in order of preference. */
  UPSTREAMS: env.json(
    z
      .array(upstream)
      .min(1)
      .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'names must differ'),
  ),
  /** Seconds until a connection to an upstream must be established. */
  UPSTREAM_CONNECT_TIMEOUT_SECONDS: env.number(0.05, 60).default(5),
  /** Seconds until the first byte of an upstream's response. */
  UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS: env.number(0.05, 3600).default(300),
  /** Longest pause in seconds between two chunks of an upstream's response. */
  UPSTREAM_IDLE_TIMEOUT_SECONDS: env.number(0.05, 3600).default(120),
};

type UpstreamsFields = {
  [Name in keyof typeof upstreamsFields]: z.output<(typeof upstreamsFields)[Name]>;
};

/** One model server. */
export interface UpstreamConfig {
  name: string;
  baseUrl: string;
  apiKey: string | undefined;
  models: string[] | Record<string, string> | undefined;
}

export interface UpstreamTimeouts {
  connectTimeoutSeconds: number;
  firstByteTimeoutSeconds: number;
  idleTimeoutSeconds: number;
}

export interface UpstreamsConfig extends UpstreamTimeouts {
  /** In order of preference. */
  upstreams: UpstreamConfig[];
}

export const UPSTREAMS_CONFIG = Symbol('UPSTREAMS_CONFIG');

export const upstreamsOf = (config: UpstreamsFields): UpstreamsConfig => ({
  upstreams: config.UPSTREAMS.map(({ name, base_url: baseUrl, api_key: apiKey, models }) => ({
    name,
    baseUrl,
    apiKey,
    models,
  })),
  connectTimeoutSeconds: config.UPSTREAM_CONNECT_TIMEOUT_SECONDS,
  firstByteTimeoutSeconds: config.UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS,
  idleTimeoutSeconds: config.UPSTREAM_IDLE_TIMEOUT_SECONDS,
});
