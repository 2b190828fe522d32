import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { EncryptJWT, errors, jwtDecrypt, type JWTPayload } from 'jose';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';

const ALGORITHM = 'dir';
const ENCRYPTION = 'A256GCM';
const KID_DIGITS = 8;

const kidOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, KID_DIGITS);

/**
 * Encrypts what has to be read again: an encrypted JWT that nobody else can read or make. The first of ENCRYPTION_KEYS
 * encrypts and all decrypt, so a key leaves the list only when nothing is sealed with it any more.
 */
@Injectable()
export class SealedTokens {
  private readonly keys: Map<string, Buffer>;

  constructor(@Inject(CONSOLE_CONFIG) { ENCRYPTION_KEYS }: Pick<ConsoleConfig, 'ENCRYPTION_KEYS'>) {
    this.keys = new Map(ENCRYPTION_KEYS.map((key) => [kidOf(key), key]));
  }

  /**
   * The purpose is the audience: what was sealed for one purpose is worth nothing for another. Without a life in
   * seconds it can be opened for ever.
   */
  async seal(purpose: string, subject: string, claims: JWTPayload, ttlSeconds?: number): Promise<string> {
    const [first] = this.keys;
    if (!first) throw new Error('A console without an encryption key.');
    const [kid, key] = first;
    const token = new EncryptJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, enc: ENCRYPTION, kid })
      .setAudience(purpose)
      .setSubject(subject);
    if (ttlSeconds !== undefined) token.setIssuedAt().setExpirationTime(`${ttlSeconds} seconds`);
    return token.encrypt(key);
  }

  /**
   * The claims, `sub` among them; null for what was not sealed here for that purpose (and that subject, unless
   * undefined), or has expired.
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
