import { env, loadConfig } from '@inference/config';
import { limitTierFields, rateLimitFields } from '@inference/rate-limits';
import { z } from 'zod';
import { relayFields, relayOf } from './idempotency/relay.config';
import { leasesFields, leasesOf } from './leases/leases.config';
import { limitsOf } from './limits/limits.config';
import { pricesFields, pricesOf } from './prices.module';
import { proxyFields, proxyOf } from './proxy/proxy.config';
import { settlementFields, settlementOf } from './settlement/settlement.config';
import { tasksFields, tasksOf } from './tasks/tasks.config';
import { upstreamsFields, upstreamsOf } from './upstreams/upstreams.config';

const serviceCallersFields = {
  /** Comma-separated secrets with which the agent service calls on behalf of accounts; all are valid. None by default. */
  AGENT_CREDENTIALS: env.serviceSecrets().optional(),
  /** Comma-separated secrets with which the memo service calls on behalf of accounts; all are valid. None by default. */
  MEMO_CREDENTIALS: env.serviceSecrets().optional(),
  /** Comma-separated secrets with which the console calls on behalf of accounts; all are valid. None by default. */
  CONSOLE_CREDENTIALS: env.serviceSecrets().optional(),
};

const NAMES = Object.keys(serviceCallersFields) as (keyof typeof serviceCallersFields)[];

type ServiceCallersFields = Partial<Record<(typeof NAMES)[number], string[] | undefined>>;

/** A secret identifies one service: adds a fault for each variable that repeats a secret of an earlier one. */
function checkServiceSecrets(config: ServiceCallersFields, context: z.RefinementCtx): void {
  NAMES.forEach((name, index) => {
    const earlier = NAMES.slice(0, index).filter((other) =>
      config[name]?.some((secret) => config[other]?.includes(secret)),
    );
    for (const other of earlier)
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `must have no secret in common with ${other}`,
      });
  });
}

/** The secrets of each service that may call, by the name of the service. */
type ServiceCallersConfig = Record<'agent' | 'memo' | 'console', string[]>;

const serviceCallersOf = (config: ServiceCallersFields): ServiceCallersConfig => ({
  agent: config.AGENT_CREDENTIALS ?? [],
  memo: config.MEMO_CREDENTIALS ?? [],
  console: config.CONSOLE_CREDENTIALS ?? [],
});

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
  ...relayFields,
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
  relay: relayOf(config),
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
