import { hash } from 'node:crypto';
import { type JWTPayload } from 'jose';

/** Chosen: about 10 MB. With more tokens in use than this, the oldest are verified again. */
const MAX_ENTRIES = 20_000;

/**
 * Claims of the tokens whose signature was verified with the present public keys. Verifying a signature takes about 0.1 ms of
 * the event loop. Holds digests of the tokens, not the tokens.
 */
export class VerifiedTokens {
  /** Number of the present set of keys. */
  keySet = 0;
  private readonly claims = new Map<string, JWTPayload>();

  constructor(private readonly maxEntries = MAX_ENTRIES) {}

  /** Returns the claims of a verified token that has not expired. */
  get(token: string): JWTPayload | undefined {
    const claims = this.claims.get(digest(token));
    return claims?.exp !== undefined && claims.exp > Date.now() / 1000 ? claims : undefined;
  }

  /** @param keySet the `keySet` when the key was found: a token that was verified with a former key is not added */
  add(token: string, claims: JWTPayload, keySet = this.keySet): void {
    if (keySet !== this.keySet) return;
    const [oldest] = this.claims.keys();
    if (this.claims.size >= this.maxEntries && oldest !== undefined) this.claims.delete(oldest);
    this.claims.set(digest(token), claims);
  }

  /** Forgets all tokens, since the key of some may have been retired. */
  clear(): void {
    this.keySet++;
    this.claims.clear();
  }
}

const digest = (token: string) => hash('sha256', token, 'base64');
