import { env } from '@inference/config';
import { type z } from 'zod';

export const SITE_METADATA_CONFIG = Symbol('SITE_METADATA_CONFIG');

export const serviceUrlFields = {
  /** URL at which customers reach the gateway. */
  GATEWAY_URL: env.httpUrl(),
  /** URL at which customers reach the training service. */
  TRAINING_URL: env.httpUrl(),
  /** URL at which customers reach the router-cost service. */
  ROUTER_URL: env.httpUrl(),
  /** URL at which customers reach the agent service. */
  AGENT_URL: env.httpUrl(),
  /** URL at which customers reach the memo service. */
  MEMO_URL: env.httpUrl(),
  /** URL at which customers reach the agent environments; not shown by default. */
  ENVIRONMENTS_URL: env.httpUrl().optional(),
};

type Fields = z.output<z.ZodObject<typeof serviceUrlFields>> & {
  SIGNUP: 'open' | 'closed';
  OAUTH_PROVIDERS: { name: string }[];
  GATEWAY_CREDENTIAL?: string | undefined;
  AGENT_CREDENTIAL?: string | undefined;
};

/** What `GET /api/site` says beyond the site's name, region and currency. */
export interface SiteMetadataConfig {
  serviceUrls: {
    gateway: string;
    training: string;
    router: string;
    agent: string;
    memo: string;
    /** Undefined on a site that does not offer them. */
    environments: string | undefined;
  };
  /** What the console offers for the account that is signed in. */
  features: { playground: boolean; agents: boolean };
  signup: 'open' | 'closed';
  oauthProviderNames: string[];
}

export function siteMetadataOf(config: Fields): SiteMetadataConfig {
  return {
    serviceUrls: {
      gateway: config.GATEWAY_URL,
      training: config.TRAINING_URL,
      router: config.ROUTER_URL,
      agent: config.AGENT_URL,
      memo: config.MEMO_URL,
      environments: config.ENVIRONMENTS_URL,
    },
    features: {
      playground: config.GATEWAY_CREDENTIAL !== undefined,
      agents: config.AGENT_CREDENTIAL !== undefined,
    },
    signup: config.SIGNUP,
    oauthProviderNames: config.OAUTH_PROVIDERS.map(({ name }) => name),
  };
}
