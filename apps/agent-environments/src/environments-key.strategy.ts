import { createHash, timingSafeEqual } from 'node:crypto';
import { env } from '@inference/config';
import {
  type AuthenticateOptions,
  type CredentialRegistration,
  CredentialStrategy,
  type Identity,
} from '@inference/guards';
import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';

export const apiKeyFields = {
  /** Keys of which every call must send one as Bearer; without one the routes are open (spec: Authentication, rule 14). */
  API_KEY: env
    .secrets(
      env.secret().regex(/^[!-+\--~]+$/, 'must have no commas, no spaces and no characters beyond ASCII'),
    )
    .optional(),
};

export interface ApiKeyConfig {
  /** Undefined: the routes are open. */
  apiKeys: string[] | undefined;
}

export const API_KEY_CONFIG = Symbol('API_KEY_CONFIG');

export const apiKeyOf = (config: { API_KEY?: string[] | undefined }): ApiKeyConfig => ({
  apiKeys: config.API_KEY,
});

declare module '@inference/guards' {
  interface CredentialKinds {
    /** The configured API keys of this service as Bearer, for no account. */
    environments_key: true;
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** The configured API keys of this service. */
@Injectable()
class EnvironmentsKeyStrategy extends CredentialStrategy {
  private readonly expected: Buffer[];

  constructor(@Inject(API_KEY_CONFIG) { apiKeys }: ApiKeyConfig) {
    super('environments-key');
    if (apiKeys === undefined) throw new Error('There is no API key to compare with.');
    this.expected = apiKeys.map(digest);
  }

  override async validate(
    _request: Request,
    { authorization }: AuthenticateOptions,
  ): Promise<Identity | null> {
    if (authorization?.scheme !== 'bearer') return null;
    // Digests are of equal length and unrelated to the key, so the comparison leaks nothing through its duration.
    const given = digest(authorization.secret);
    return this.expected.some((expected) => timingSafeEqual(given, expected)) ? {} : null;
  }
}

/** Registers the kind `environments_key`. Only for a service with a configured key. */
export const ENVIRONMENTS_KEY_CREDENTIALS: CredentialRegistration = {
  // The key may have any form, so that a key of the wrong kind cannot be told from an invalid one.
  kinds: {},
  strategies: [EnvironmentsKeyStrategy],
};
