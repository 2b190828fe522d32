import { Injectable } from '@nestjs/common';
import { type CredentialKind } from '../credentials.decorators';
import {
  type CredentialRegistration,
  type CredentialStrategy,
  type Identity,
  identityOf,
  type PresentedCredential,
} from '../strategies/credential.strategy';
import { ApiKeyVerifier } from './api-key-verifier';

/** API keys: `api_key` in the scheme Bearer, `api_key_scheme` in the scheme ApiKey. */
@Injectable()
class ApiKeyStrategy implements CredentialStrategy {
  constructor(private readonly apiKeys: ApiKeyVerifier) {}

  async identify(
    { authorization }: PresentedCredential,
    accepted: readonly CredentialKind[],
  ): Promise<Identity | null> {
    if (!authorization) return null;
    const kind = authorization.scheme === 'apikey' ? 'api_key_scheme' : 'api_key';
    return accepted.includes(kind) ? identityOf(await this.apiKeys.verify(authorization.secret)) : null;
  }
}

/** Registers the kinds `api_key` and `api_key_scheme`. */
export const API_KEY_CREDENTIALS: CredentialRegistration = {
  strategy: ApiKeyStrategy,
  providers: [ApiKeyVerifier],
};
