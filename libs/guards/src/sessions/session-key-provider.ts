import { KeyObject } from 'node:crypto';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  ServiceUnavailableException,
} from '@nestjs/common';
import { createLocalJWKSet, type CryptoKey, decodeProtectedHeader, errors, type JWTVerifyGetKey } from 'jose';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from '../credentials.options';
import { SessionKeys } from './session-keys';
import { SESSION_ALGORITHM } from './session-token';
import { VerifiedTokens } from './verified-tokens';

/** Whether an error of jose means an invalid token. Any other error means that the public keys are unavailable. */
function isTokenFault(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}

/** Finds the public key of a session token, and keeps the tokens that were verified with the present keys. */
@Injectable()
export class SessionKeyProvider implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly verified = new VerifiedTokens();
  /** Undefined if the app has the public keys itself. */
  private readonly remoteKeys: SessionKeys | undefined;
  private readonly findKey: JWTVerifyGetKey;
  private readonly keyObjects = new WeakMap<CryptoKey, KeyObject>();

  constructor(@Inject(CREDENTIALS_OPTIONS) options: CredentialsOptions) {
    if ('publicKeys' in options) this.findKey = createLocalJWKSet({ keys: options.publicKeys });
    else {
      this.remoteKeys = new SessionKeys(options.CONSOLE_URL, () => this.verified.clear());
      this.findKey = this.remoteKeys.find;
    }
  }

  onApplicationBootstrap(): void {
    this.remoteKeys?.start();
  }

  onApplicationShutdown(): void {
    this.remoteKeys?.stop();
  }

  /** Returns null if the token names no key of the console. Throws 503 if the public keys are unavailable. */
  async find(token: string): Promise<KeyObject | null> {
    const header = readHeader(token);
    if (header?.alg !== SESSION_ALGORITHM) return null;
    try {
      const key = await this.findKey({ ...header, alg: SESSION_ALGORITHM }, { payload: '', signature: '' });
      return this.keyObject(key as CryptoKey);
    } catch (error) {
      if (isTokenFault(error)) return null;
      throw new ServiceUnavailableException('the session keys are unavailable', { cause: error });
    }
  }

  /** Converts a key of jose for passport-jwt. */
  private keyObject(key: CryptoKey): KeyObject {
    const known = this.keyObjects.get(key) ?? KeyObject.from(key);
    this.keyObjects.set(key, known);
    return known;
  }
}

function readHeader(token: string) {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return null;
  }
}
