import { env } from '@inference/config';

export const proxyFields = {
  /** Seconds without reading after which the client of a stream counts as disconnected. */
  CLIENT_STALL_TIMEOUT_SECONDS: env.number(0.05, 3600).default(60),
};

export interface ProxyConfig {
  clientStallTimeoutSeconds: number;
}

export const PROXY_CONFIG = Symbol('PROXY_CONFIG');

export const proxyOf = (config: { CLIENT_STALL_TIMEOUT_SECONDS: number }): ProxyConfig => ({
  clientStallTimeoutSeconds: config.CLIENT_STALL_TIMEOUT_SECONDS,
});
