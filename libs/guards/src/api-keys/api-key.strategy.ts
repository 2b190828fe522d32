import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import {
  type AuthenticateOptions,
  type CredentialRegistration,
  CredentialStrategy,
  type Identity,
  identityOf,
} from '../strategies/credential.strategy';
import { ApiKeyVerifier } from './api-key-verifier';

/** API keys: `api_key` in the scheme Bearer, `api_key_scheme` in the scheme ApiKey. */
@Injectable()
class ApiKeyStrategy extends CredentialStrategy {
  constructor(private readonly apiKeys: ApiKeyVerifier) {
    super('api-key');
  }

  override async validate(
    _request: Request,
    { accepts, authorization }: AuthenticateOptions,
  ): Promise<Identity | null> {
    if (!authorization) return null;
    const kind = authorization.scheme === 'apikey' ? 'api_key_scheme' : 'api_key';
    return accepts.includes(kind) ? identityOf(await this.apiKeys.verify(authorization.secret)) : null;
  }
}

/** Registers the kinds `api_key` and `api_key_scheme`. */
export const API_KEY_CREDENTIALS: CredentialRegistration = {
  kinds: {
    api_key: { credential: 'an API key', place: 'Authorization: Bearer' },
    api_key_scheme: { credential: 'an API key', place: 'Authorization: ApiKey' },
  },
  strategies: [ApiKeyStrategy],
  providers: [ApiKeyVerifier],
};
