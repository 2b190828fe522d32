import { env } from '@inference/config';
import { type z } from 'zod';

export const serviceCallersFields = {
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
export function checkServiceSecrets(config: ServiceCallersFields, context: z.RefinementCtx): void {
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
export type ServiceCallersConfig = Record<'agent' | 'memo' | 'console', string[]>;

export const serviceCallersOf = (config: ServiceCallersFields): ServiceCallersConfig => ({
  agent: config.AGENT_CREDENTIALS ?? [],
  memo: config.MEMO_CREDENTIALS ?? [],
  console: config.CONSOLE_CREDENTIALS ?? [],
});
