import { env } from '@inference/config';

export const serviceCallersFields = {
  /** Comma-separated secrets with which the agent service calls on behalf of accounts; all are valid. None by default. */
  AGENT_CREDENTIALS: env.serviceSecrets().optional(),
  /** Comma-separated secrets with which the memo service calls on behalf of accounts; all are valid. None by default. */
  MEMO_CREDENTIALS: env.serviceSecrets().optional(),
};

interface ServiceCallersFields {
  AGENT_CREDENTIALS?: string[] | undefined;
  MEMO_CREDENTIALS?: string[] | undefined;
}

/** A secret identifies one service. */
export const hasDistinctServiceSecrets = ({
  AGENT_CREDENTIALS,
  MEMO_CREDENTIALS,
}: ServiceCallersFields): boolean => !MEMO_CREDENTIALS?.some((secret) => AGENT_CREDENTIALS?.includes(secret));

/** The secrets of each service that may call, by the name of the service. */
export type ServiceCallersConfig = Record<'agent' | 'memo', string[]>;

export const serviceCallersOf = (config: ServiceCallersFields): ServiceCallersConfig => ({
  agent: config.AGENT_CREDENTIALS ?? [],
  memo: config.MEMO_CREDENTIALS ?? [],
});
