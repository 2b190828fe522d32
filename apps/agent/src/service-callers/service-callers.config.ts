import { env } from '@inference/config';

export const serviceCallersFields = {
  /** Comma-separated secrets with which the console calls on behalf of accounts; all are valid. None by default. */
  CONSOLE_CREDENTIALS: env.serviceSecrets().optional(),
};

/** The secrets of each service that may call, by the name of the service. */
export type ServiceCallersConfig = Record<'console', string[]>;

export const serviceCallersOf = (config: {
  CONSOLE_CREDENTIALS?: string[] | undefined;
}): ServiceCallersConfig => ({ console: config.CONSOLE_CREDENTIALS ?? [] });
