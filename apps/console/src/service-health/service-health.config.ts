import { type z } from 'zod';
import { type serviceUrlFields } from '../catalogue/catalogue.config';
import { type inferenceFields } from '../inference/inference.config';

export const SERVICE_HEALTH_CONFIG = Symbol('SERVICE_HEALTH_CONFIG');

export const SERVICE_NAMES = [
  'console',
  'gateway',
  'router-cost',
  'training',
  'agent',
  'memo',
  'agent-environments',
] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

export interface CheckedService {
  name: ServiceName;
  /** Where customers reach it. */
  url: string;
  /** Where the console asks it. */
  internalUrl: string;
}

export interface ServiceHealthConfig {
  consoleUrl: string;
  /** The services beside the console that the site has. */
  services: CheckedService[];
}

type Fields = Pick<
  z.output<z.ZodObject<typeof inferenceFields>>,
  'INTERNAL_GATEWAY_URL' | 'INTERNAL_AGENT_URL'
> &
  z.output<z.ZodObject<typeof serviceUrlFields>> & { CONSOLE_URL: string };

export function serviceHealthOf(fields: Fields): ServiceHealthConfig {
  const service = (name: ServiceName, url: string, internalUrl = url): CheckedService => ({
    name,
    url,
    internalUrl,
  });
  return {
    consoleUrl: fields.CONSOLE_URL,
    services: [
      service('gateway', fields.GATEWAY_URL, fields.INTERNAL_GATEWAY_URL),
      service('router-cost', fields.ROUTER_URL),
      service('training', fields.TRAINING_URL),
      service('agent', fields.AGENT_URL, fields.INTERNAL_AGENT_URL),
      service('memo', fields.MEMO_URL),
      ...(fields.ENVIRONMENTS_URL === undefined
        ? []
        : [service('agent-environments', fields.ENVIRONMENTS_URL)]),
    ],
  };
}
