import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const CREDENTIAL_ATTEMPT = 'credential attempt';

/**
 * Marks a route that accepts, creates or replaces a credential. It has the strict limit, because it can be abused to
 * find a credential by trying, to cause mail or to cause much work.
 */
export const CredentialAttempt = () => SetMetadata(CREDENTIAL_ATTEMPT, true);

export const isCredentialAttempt = (context: ExecutionContext): boolean =>
  Reflect.getMetadata(CREDENTIAL_ATTEMPT, context.getHandler()) === true;
