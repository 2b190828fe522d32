import { env } from '@inference/config';
import { type z } from 'zod';

export const INFERENCE_CONFIG = Symbol('INFERENCE_CONFIG');

export const inferenceFields = {
  /** URL at which the console reaches the gateway, `GATEWAY_URL` by default. */
  INTERNAL_GATEWAY_URL: env.httpUrl().optional(),
  /** URL at which the console reaches the agent service, `AGENT_URL` by default. */
  INTERNAL_AGENT_URL: env.httpUrl().optional(),
  /** Secret with which the console calls the gateway on behalf of accounts. It is one of the gateway's `CONSOLE_CREDENTIALS`. Without it there is no playground. */
  GATEWAY_CREDENTIAL: env.serviceSecret().optional(),
  /** Secret with which the console calls the agent service on behalf of accounts. It is one of the agent's `CONSOLE_CREDENTIALS`. Without it the console offers no agents. */
  AGENT_CREDENTIAL: env.serviceSecret().optional(),
  /** URL at which the console reaches the router-cost service, `ROUTER_URL` by default. */
  INTERNAL_ROUTER_URL: env.httpUrl().optional(),
  /** Secret with which the console calls the router-cost service on behalf of accounts. It is one of that service's `CONSOLE_CREDENTIALS`. Without it there is no cost report of all accounts, and a proof does not ask the service. */
  ROUTER_COST_CREDENTIAL: env.serviceSecret().optional(),
  /** Seconds that the gateway or the agent service may send nothing, at the beginning and in the middle of an answer. */
  MODEL_SILENCE_TIMEOUT_SECONDS: env.number(0.05, 3600).default(330),
  /** Seconds that forwarded answers may continue after SIGTERM. */
  SHUTDOWN_GRACE_SECONDS: env.number(0, 3600).default(25),
};

type Fields = z.output<z.ZodObject<typeof inferenceFields>> & {
  GATEWAY_URL: string;
  AGENT_URL: string;
  ROUTER_URL: string;
};

/** How the console reaches another service of the platform. */
export interface ServiceAddress {
  url: string;
  /** The console's own secret at the service. */
  credential: string;
}

export interface InferenceConfig {
  /** Undefined if the site offers no playground. */
  gateway: ServiceAddress | undefined;
  /** Undefined if the console offers no agents. */
  agent: ServiceAddress | undefined;
  /** Undefined if the console does not ask the router-cost service. */
  routerCost: ServiceAddress | undefined;
  silenceMillis: number;
  shutdownGraceMillis: number;
}

const addressOf = (url: string, credential: string | undefined): ServiceAddress | undefined =>
  credential === undefined ? undefined : { url, credential };

export const inferenceOf = (fields: Fields): InferenceConfig => ({
  gateway: addressOf(fields.INTERNAL_GATEWAY_URL ?? fields.GATEWAY_URL, fields.GATEWAY_CREDENTIAL),
  agent: addressOf(fields.INTERNAL_AGENT_URL ?? fields.AGENT_URL, fields.AGENT_CREDENTIAL),
  routerCost: addressOf(fields.INTERNAL_ROUTER_URL ?? fields.ROUTER_URL, fields.ROUTER_COST_CREDENTIAL),
  silenceMillis: fields.MODEL_SILENCE_TIMEOUT_SECONDS * 1000,
  shutdownGraceMillis: fields.SHUTDOWN_GRACE_SECONDS * 1000,
});

export const SERVING_CONFIG = Symbol('SERVING_CONFIG');

export const servingFields = {
  ...env.upstreamEncryption,
  ...env.upstreamNetworks,
};

type ServingFields = z.output<z.ZodObject<typeof servingFields>>;

export interface ServingConfig {
  /** 32 bytes each. The first one encrypts credentials of upstreams; all decrypt. */
  encryptionKeys: Buffer[];
  allowsPrivateNetworks: boolean;
}

export const servingOf = (fields: ServingFields): ServingConfig => ({
  encryptionKeys: fields.UPSTREAM_ENCRYPTION_KEYS,
  allowsPrivateNetworks: fields.UPSTREAM_PRIVATE_NETWORKS === 'allowed',
});
