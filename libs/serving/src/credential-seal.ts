import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KID_DIGITS = 8;

const kidOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, KID_DIGITS);

/**
 * Encrypts the credentials of upstreams, each bound to its upstream. The first key encrypts and all decrypt, so a key may be removed
 * only when no credential is encrypted with it any more.
 */
export class CredentialSeal {
  private readonly keys: Map<string, Buffer>;

  /** @param keys 32 bytes each, never empty */
  constructor(keys: readonly Buffer[]) {
    this.keys = new Map(keys.map((key) => [kidOf(key), key]));
  }

  seal(upstreamId: string, credential: string): string {
    const [first] = this.keys;
    if (!first) throw new Error('There is no key for the credentials of upstreams.');
    const [kid, key] = first;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(upstreamId));
    const sealed = Buffer.concat([cipher.update(credential, 'utf8'), cipher.final()]);
    return `${kid}.${Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url')}`;
  }

  /** Returns null if the text was not sealed for this upstream with one of the keys. */
  open(upstreamId: string, text: string): string | null {
    const [kid = '', encoded = ''] = text.split('.');
    const key = this.keys.get(kid);
    const bytes = Buffer.from(encoded, 'base64url');
    if (!key || bytes.length < IV_BYTES + TAG_BYTES) return null;
    try {
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(upstreamId))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      const credential = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
      return Buffer.concat([credential, decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }

  /** Whether the text is sealed with the first key. */
  isCurrent(text: string): boolean {
    const [first] = this.keys.keys();
    return text.startsWith(`${first}.`);
  }
}
