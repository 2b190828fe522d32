import { env, loadConfig } from '@inference/config';
import { limitTierFields, rateLimitFields } from '@inference/rate-limits';
import { z } from 'zod';
import { leasesFields, leasesOf } from './leases/leases.config';
import { limitsOf } from './limits/limits.config';
import { pricesFields, pricesOf } from './prices/prices.module';
import { proxyFields, proxyOf } from './proxy/proxy.config';
import {
  checkServiceSecrets,
  serviceCallersFields,
  serviceCallersOf,
} from './service-callers/service-callers.config';
import { settlementFields, settlementOf } from './settlement/settlement.config';
import { tasksFields, tasksOf } from './tasks/tasks.config';
import { upstreamsFields, upstreamsOf } from './upstreams/upstreams.config';

export const fields = z.object({
  ...env.service,
  ...env.database,
  ...env.callers,
  ...rateLimitFields,
  ...pricesFields,
  ...upstreamsFields,
  ...proxyFields,
  ...serviceCallersFields,
  ...leasesFields,
  ...limitTierFields,
  ...settlementFields,
  ...tasksFields,
  /** Processes that serve the port together. Each has its own database connections, body memory and leases. */
  GATEWAY_WORKERS: env.integer(1, 256).default(1),
});

/** Runs the check even if other variables are invalid, so that every fault is named at once. */
const when = () => true;

const schema = fields.superRefine(checkServiceSecrets, { when }).transform((config) => ({
  ...config,
  prices: pricesOf(config),
  upstreams: upstreamsOf(config),
  proxy: proxyOf(config),
  serviceCallers: serviceCallersOf(config),
  leases: leasesOf(config),
  limits: limitsOf(config),
  settlement: settlementOf(config),
  tasks: tasksOf(config),
  workers: config.GATEWAY_WORKERS,
}));

/** The names of all environment variables that the gateway reads. */
export const VARIABLES = Object.keys(fields.shape);

export type GatewayConfig = z.output<typeof schema>;

/** Reads the gateway's configuration from its environment. Throws a ConfigError that names every fault. */
export const readGatewayConfig = (environment?: NodeJS.ProcessEnv): GatewayConfig =>
  loadConfig(schema, environment);
