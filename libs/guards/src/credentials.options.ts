import { type CookieNames, type Site } from '@inference/config';
import { type AllowedOrigins } from '@inference/http';
import { type JWK } from 'jose';
import { type CredentialKind } from './credentials.decorators';
import { type KeyHashSecrets } from './secret-key';
import { type CredentialRegistration } from './credential.strategy';

export const CREDENTIALS_OPTIONS = Symbol('CREDENTIALS_OPTIONS');

export type StaffTwoFactor = 'required' | 'optional';

/** Which credentials an app accepts. */
export interface GuardOptions {
  /** The kinds of credentials that the app accepts; they are tried in this order. */
  strategies: CredentialRegistration[];
  /** The kinds that a route without `@Accepts()` accepts. */
  defaultKinds: CredentialKind[];
}

/** How an app recognises its callers. The strategies for session tokens and API keys need all of it. */
export type CredentialsOptions = GuardOptions &
  KeyHashSecrets & {
    SITE: Site;
    /** Leaves used keys under the secret under which they are stored, for a service whose role may not change them. */
    keepsKeyHashes?: boolean;
    /** How long a session is cached, in seconds; 10 by default. 0 queries the database for each request: a logout takes effect at once where it is made. */
    sessionCacheSeconds?: number;
    /** Whether a session of staff has its role only after a second factor. Every app that accepts sessions says so. */
    STAFF_2FA?: StaffTwoFactor;
    /** Whether staff may read in the place of a customer. */
    hasAccountViews?: boolean;
    /** For apps that accept the session cookie. */
    sessionCookie?: CookieNames;
    /** Origins whose pages may use the session cookie for changes, beside the service's own origin. */
    CORS_ORIGINS?: AllowedOrigins | undefined;
  } & (
    | { /** Root of the console, which publishes its public keys. */ CONSOLE_URL: string }
    | { /** The console's own public keys. */ publicKeys: JWK[] }
  );
