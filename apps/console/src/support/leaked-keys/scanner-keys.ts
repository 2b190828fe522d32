import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { z } from 'zod';

const TIMEOUT_MILLIS = 5_000;
/** Chosen: forged identifiers cause at most one request in this time. A new key signs nothing before its list is public. */
const FETCH_INTERVAL_MILLIS = 60_000;
/** A key that the scanner has taken back is obeyed no longer than that. */
const KEY_LIFE_MILLIS = 3_600_000;

const keyList = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })),
});

/** The keys could not be fetched, so nothing is known of a signature. */
export class ScannerKeysUnavailableError extends Error {}

/** The keys that a secret scanning service signs its reports with, by identifier. */
export class ScannerKeys {
  private readonly logger = new Logger(ScannerKeys.name);
  private keys = new Map<string, KeyObject>();
  private fetching: Promise<void> | null = null;
  private lastFetch = -Infinity;
  private hasFailed = false;

  /** @param url answers the list of keys in the form of GitHub */
  constructor(private readonly url: string) {}

  /**
   * Whether the key of this identifier has signed the bytes (ECDSA on P-256 with SHA-256, DER in Base64). An unknown identifier causes a
   * fetch of the list, as does the age of the known one. Throws ScannerKeysUnavailableError if the key is unknown because that failed.
   */
  async hasSigned(identifier: string, signature: string, bytes: Buffer): Promise<boolean> {
    const isOld = performance.now() - this.lastFetch >= KEY_LIFE_MILLIS;
    if (isOld || !this.keys.has(identifier)) await this.refresh();
    const key = this.keys.get(identifier);
    if (key) return verify('sha256', bytes, key, Buffer.from(signature, 'base64'));
    if (this.hasFailed)
      throw new ScannerKeysUnavailableError('the public keys of the scanner are unknown now');
    return false;
  }

  private async refresh(): Promise<void> {
    if (!this.fetching) {
      // A monotonic clock: a wall clock that is set back would delay the next fetch.
      const now = performance.now();
      if (now - this.lastFetch < FETCH_INTERVAL_MILLIS) return;
      this.lastFetch = now;
      this.fetching = this.fetch().finally(() => (this.fetching = null));
    }
    await this.fetching;
  }

  /** On an error the known keys stay. */
  private async fetch(): Promise<void> {
    try {
      const response = await fetch(this.url, {
        headers: { Accept: 'application/json' },
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      const list = keyList.parse(await response.json());
      this.keys = new Map(list.public_keys.map(({ key_identifier: id, key }) => [id, ellipticKey(key)]));
      this.hasFailed = false;
    } catch (error) {
      this.hasFailed = true;
      this.logger.error(
        `The public keys of the secret scanner could not be fetched: ${(error as Error).message}`,
      );
    }
  }
}

function ellipticKey(pem: string): KeyObject {
  const key = createPublicKey(pem);
  if (key.asymmetricKeyType !== 'ec') throw new Error('a key is not one of an elliptic curve');
  return key;
}
