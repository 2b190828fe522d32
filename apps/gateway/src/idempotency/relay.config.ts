import { createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { env } from '@inference/config';
import { type KeyHashSecrets } from '@inference/guards';
import { z } from 'zod';

const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

export const relayFields = {
  /** Name or address under which other gateways reach this one. Without it HOST, or the first address of the machine if that is all of them. */
  RELAY_HOST: z
    .string()
    .refine((host) => HOST_NAME.test(host) || isIPv6(host), 'must be a host name or an address')
    .optional(),
  /** Port at which other gateways ask this one for answers; the next ones if it is taken, for workers. Any free one if 0. */
  RELAY_PORT: env.port().default(0),
};

export interface RelayConfig {
  /** Where the relay listens. */
  listenHost: string;
  /** The ports that it tries, in this order. */
  ports: number[];
  /** Under which others reach it. */
  publicHost: string;
  /** What all gateways share: the first one signs, each is accepted. */
  secrets: [Buffer, ...Buffer[]];
}

export const RELAY_CONFIG = Symbol('RELAY_CONFIG');

const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);
const LOOPBACK = '127.0.0.1';
const LINK_LOCAL = /^fe80:/i;

/** The first address of this machine that others reach; IPv4 if there is one. */
function machineAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outer = all.filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address));
  const address = outer.find(({ family }) => family === 'IPv4') ?? outer[0];
  return address?.address ?? LOOPBACK;
}

/** No secret of its own: what is signed with this one is of no use for keys, nor the other way round. */
const relaySecret = (keyHashSecret: string): Buffer =>
  createHmac('sha256', keyHashSecret).update('relay between gateways').digest();

export const relayOf = (
  config: KeyHashSecrets & {
    HOST: string;
    RELAY_HOST?: string | undefined;
    RELAY_PORT: number;
    GATEWAY_WORKERS: number;
  },
): RelayConfig => {
  const { HOST, RELAY_HOST, RELAY_PORT, API_KEY_HASH_OTHER_SECRET: other } = config;
  const workers = RELAY_PORT === 0 ? 1 : config.GATEWAY_WORKERS;
  return {
    listenHost: HOST,
    ports: Array.from({ length: workers }, (_, index) => (RELAY_PORT === 0 ? 0 : RELAY_PORT + index)),
    publicHost: RELAY_HOST ?? (EVERY_ADDRESS.has(HOST) ? machineAddress() : HOST),
    secrets: [relaySecret(config.API_KEY_HASH_SECRET), ...(other === undefined ? [] : [relaySecret(other)])],
  };
};
