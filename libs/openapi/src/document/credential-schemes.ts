import { type CredentialKind } from '@inference/guards';
import { type SecurityScheme } from './api-description';

/** How each kind of credential is sent. Kinds that an app adds by module augmentation are in its ApiDescription. */
export const CREDENTIAL_SCHEMES: Record<string, SecurityScheme> = {
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
    description:
      'Session token in the cookie that the sign-in sets: `__Host-session` in production, `__Secure-session` with a domain.',
  },
  session_query: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'Session token in the query, for links that a browser opens.',
  },
  api_key: { type: 'http', scheme: 'bearer', description: 'API key, `bfvk-…`.' },
  api_key_header: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'API key, `bfvk-…`, in a header of its own; `api-key` is the same.',
  },
  api_key_scheme: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`ApiKey bfvk-…`: an API key in a scheme of its own.',
  },
  management_key: { type: 'http', scheme: 'bearer', description: 'Management key, `bfvm-…`.' },
  service: {
    type: 'http',
    scheme: 'bearer',
    description: 'Credential of one of the platform’s own services, for no account.',
  },
  on_behalf: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Credential of one of the platform’s own services, for the account that `X-On-Behalf-Of` names.',
  },
  on_behalf_of: {
    type: 'apiKey',
    in: 'header',
    name: 'X-On-Behalf-Of',
    description: 'Id of the account for which a service acts and which pays. Only services may send it.',
  },
  on_behalf_of_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-On-Behalf-Of-Key',
    description:
      'Id of the API key of that account whose limits apply and whose usage it is. Only services may send it.',
  },
};

/** The schemes that a kind of credential needs together, for each way to send it. */
export function securityRequirementsOf(kind: CredentialKind): Record<string, []>[] {
  if (kind !== 'on_behalf') return [{ [kind]: [] }];
  const ofAccount = { on_behalf: [], on_behalf_of: [] } satisfies Record<string, []>;
  return [ofAccount, { ...ofAccount, on_behalf_of_key: [] }];
}
