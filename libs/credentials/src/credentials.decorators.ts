import { SetMetadata } from '@nestjs/common';
import { type Role } from './caller';

/**
 * session: a session JWT as Bearer; session_cookie: the same in the cookie `session`;
 * session_query: the same as `?token=`; api_key: a bfvk- key as Bearer; api_key_scheme: the same as `ApiKey`;
 * workspace_key: a key of a memo workspace in the header `X-API-Key`;
 * service: the secret of one of the platform's own services as Bearer, for no account;
 * on_behalf: the same, for the account in `X-On-Behalf-Of` and, if named, its key in `X-On-Behalf-Of-Key` (CurrentCaller).
 */
export type CredentialKind =
  | 'session'
  | 'session_cookie'
  | 'session_query'
  | 'api_key'
  | 'api_key_scheme'
  | 'workspace_key'
  | 'service'
  | 'on_behalf';

export const ACCEPTS = 'accepts';
export const ROLES = 'roles';

/** The credentials a route takes; without it, those the app takes by default. */
export const Accepts = (...kinds: CredentialKind[]) => SetMetadata(ACCEPTS, kinds);

/** The roles a route is for; any other caller gets 403. */
export const Roles = (...roles: Role[]) => SetMetadata(ROLES, roles);
