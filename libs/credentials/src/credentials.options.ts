import { type Site } from '@inference/config';
import { type AllowedOrigins } from '@inference/http';
import { type JWK } from 'jose';
import { type CredentialKind } from './credentials.decorators';

export const CREDENTIALS_OPTIONS = Symbol('CREDENTIALS_OPTIONS');

export type CredentialsOptions = {
  SITE: Site;
  API_KEY_HASH_SECRET: string;
  /** What a route takes that does not say. */
  defaultKinds: CredentialKind[];
  /** The secrets of each of the platform's own services that may call, by its name; all of them are good. */
  serviceCredentials?: Record<string, string[]>;
  /** How long a session is remembered, 10 unless told; 0 asks the database each time. */
  sessionCacheSeconds?: number;
  /** Origins whose pages may act by the session cookie, beside the service's own. */
  CORS_ORIGINS?: AllowedOrigins | undefined;
} & (
  | { /** Where the public keys are fetched. */ CONSOLE_URL: string }
  | { /** The console's own public keys. */ publicKeys: JWK[] }
);
