import { type CredentialKind } from '@inference/guards';
import { type SecurityScheme } from './api-description';

/** How each kind of credential is sent. Kinds that an app adds by module augmentation are in its ApiDescription. */
export const CREDENTIAL_SCHEMES: Partial<Record<CredentialKind, SecurityScheme>> = {
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Session token of a sign-in at the console.',
  },
  session_cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: 'Session token in the cookie that the sign-in sets.',
  },
  session_query: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'Session token in the query, for links that a browser opens.',
  },
  api_key: { type: 'http', scheme: 'bearer', description: 'API key, `bfvk-…`.' },
  api_key_scheme: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`ApiKey bfvk-…`: an API key in a scheme of its own.',
  },
  service: {
    type: 'http',
    scheme: 'bearer',
    description: 'Credential of one of the platform’s own services, for no account.',
  },
  on_behalf: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Credential of one of the platform’s own services, for the account in `X-On-Behalf-Of` and optionally its API key (id) in `X-On-Behalf-Of-Key`.',
  },
};
