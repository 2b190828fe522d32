import { SetMetadata } from '@nestjs/common';

/** The kinds of credentials. An app that adds a strategy of its own declares its kinds here by module augmentation. */
export interface CredentialKinds {
  /** A session JWT as Bearer. */
  session: true;
  /** A session JWT in the session cookie. */
  session_cookie: true;
  /** A session JWT as the query parameter `token`. */
  session_query: true;
  /** An API key (`bfvk-…`) as Bearer. */
  api_key: true;
  /** An API key (`bfvk-…`) in the header `X-API-Key` or `api-key`, without the header `Authorization`. */
  api_key_header: true;
  /** An API key in the scheme ApiKey. */
  api_key_scheme: true;
  /** A management key (`bfvm-…`) as Bearer, which may manage the API keys of its account and nothing else. */
  management_key: true;
  /** The secret of one of the platform's own services as Bearer, for no account. */
  service: true;
  /** The secret of a service as Bearer, for the account in `X-On-Behalf-Of` and optionally its API key (id) in `X-On-Behalf-Of-Key`. */
  on_behalf: true;
}
export type CredentialKind = keyof CredentialKinds;

export const ACCEPTS = 'accepts';
export const STAFF_ONLY = 'staff only';
export const SECOND_FACTOR_SETUP = 'second factor setup';
export const READS_CREDENTIAL = 'reads credential';

/** The kinds of credentials that a route accepts, instead of the app's default kinds. */
export const Accepts = (...kinds: CredentialKind[]) => SetMetadata(ACCEPTS, kinds);

/** A route for staff: the table in `staff/staff-table.ts` says for which roles. Any other caller gets 403. */
export const StaffOnly = () => SetMetadata(STAFF_ONLY, true);

/** A route that staff without a required second factor may use, to set one up. */
export const SecondFactorSetup = () => SetMetadata(SECOND_FACTOR_SETUP, true);

/** A public route that has a use for a credential: it sets `request.caller` if a valid one is sent, and ignores an invalid one. */
export const ReadsCredential = () => SetMetadata(READS_CREDENTIAL, true);
