import { env } from '@inference/config';

export const proxyFields = {
  /** Seconds without reading after which the client of a stream counts as disconnected. */
  CLIENT_STALL_TIMEOUT_SECONDS: env.number(0.05, 3600).default(60),
  /** Seconds of silence after which a stream gets a comment or a ping, so that proxies do not close it. */
  STREAM_KEEP_ALIVE_SECONDS: env.number(0.05, 3600).default(15),
};

export interface ProxyConfig {
  clientStallTimeoutSeconds: number;
  keepAliveSeconds: number;
}

export const PROXY_CONFIG = Symbol('PROXY_CONFIG');

export const proxyOf = (config: {
  CLIENT_STALL_TIMEOUT_SECONDS: number;
  STREAM_KEEP_ALIVE_SECONDS: number;
}): ProxyConfig => ({
  clientStallTimeoutSeconds: config.CLIENT_STALL_TIMEOUT_SECONDS,
  keepAliveSeconds: config.STREAM_KEEP_ALIVE_SECONDS,
});
