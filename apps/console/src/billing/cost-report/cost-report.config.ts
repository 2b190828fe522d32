import { env } from '@inference/config';
import { type z } from 'zod';

export const COST_REPORT_CONFIG = Symbol('COST_REPORT_CONFIG');

export const costReportFields = {
  /** URL at which the console reaches the router-cost service, `ROUTER_URL` by default. */
  INTERNAL_ROUTER_URL: env.httpUrl().optional(),
  /** Secret with which the console calls the router-cost service on behalf of accounts. It is one of that service's `CONSOLE_CREDENTIALS`. Without it there is no cost report of all accounts, and a proof does not ask the service. */
  ROUTER_COST_CREDENTIAL: env.serviceSecret().optional(),
};

type Fields = z.output<z.ZodObject<typeof costReportFields>> & { ROUTER_URL: string };

export interface CostReportConfig {
  /** Undefined if the console does not ask the router-cost service. */
  routerCost: { url: string; credential: string } | undefined;
}

export const costReportOf = ({
  INTERNAL_ROUTER_URL: internalUrl,
  ROUTER_COST_CREDENTIAL: credential,
  ROUTER_URL: publicUrl,
}: Fields): CostReportConfig => ({
  routerCost: credential === undefined ? undefined : { url: internalUrl ?? publicUrl, credential },
});
