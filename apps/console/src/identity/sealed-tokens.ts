import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { EncryptJWT, errors, jwtDecrypt, type JWTPayload } from 'jose';
import { SEALED_TOKENS_CONFIG, type SealedTokensConfig } from './identity.config';

const ALGORITHM = 'dir';
const ENCRYPTION = 'A256GCM';
const KID_DIGITS = 8;

const kidOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, KID_DIGITS);

/**
 * Encrypts and decrypts claims as encrypted JWTs (JWE, direct A256GCM). The first of ENCRYPTION_KEYS encrypts and all
 * decrypt, so a key may be removed only when no token is encrypted with it any more.
 */
@Injectable()
export class SealedTokens {
  private readonly keys: Map<string, Buffer>;

  constructor(@Inject(SEALED_TOKENS_CONFIG) { encryptionKeys }: SealedTokensConfig) {
    this.keys = new Map(encryptionKeys.map((key) => [kidOf(key), key]));
  }

  /**
   * @param purpose becomes the audience, so that a token cannot be used for another purpose
   * @param ttlSeconds without it the token never expires
   */
  async seal(purpose: string, subject: string, claims: JWTPayload, ttlSeconds?: number): Promise<string> {
    const [first] = this.keys;
    if (!first) throw new Error('The console has no encryption key.');
    const [kid, key] = first;
    const token = new EncryptJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, enc: ENCRYPTION, kid })
      .setAudience(purpose)
      .setSubject(subject);
    if (ttlSeconds !== undefined) token.setIssuedAt().setExpirationTime(`${ttlSeconds} seconds`);
    return token.encrypt(key);
  }

  /**
   * Returns the claims with `sub`, or null if the token is forged, has expired, or was made for another purpose or
   * subject.
   *
   * @param subject undefined accepts every subject
   */
  async open(purpose: string, subject: string | undefined, text: string): Promise<JWTPayload | null> {
    try {
      const { payload } = await jwtDecrypt(text, ({ kid }) => this.keyOf(kid), {
        audience: purpose,
        ...(subject === undefined ? {} : { subject }),
        keyManagementAlgorithms: [ALGORITHM],
        contentEncryptionAlgorithms: [ENCRYPTION],
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  private keyOf(kid: string | undefined): Buffer {
    const key = kid === undefined ? undefined : this.keys.get(kid);
    if (!key) throw new errors.JWEDecryptionFailed();
    return key;
  }
}
