import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const CREDENTIAL_LIMIT = 'credential limit';

/** A limit in addition to that of all requests. */
export type CredentialLimit = 'attempts' | 'refreshes';

/**
 * Marks a route that accepts, creates or replaces a credential. It has the strict limit, because it can be abused to
 * find a credential by trying, to cause mail or to cause much work.
 */
export const CredentialAttempt = () => SetMetadata(CREDENTIAL_LIMIT, 'attempts' satisfies CredentialLimit);

/**
 * Marks the route that continues sessions. It is counted apart, with a limit that many tabs and people behind one address do not
 * reach: its credential is too long to be found by trying.
 */
export const RefreshAttempt = () => SetMetadata(CREDENTIAL_LIMIT, 'refreshes' satisfies CredentialLimit);

export const hasCredentialLimit = (context: ExecutionContext, limit: CredentialLimit): boolean =>
  Reflect.getMetadata(CREDENTIAL_LIMIT, context.getHandler()) === limit;
