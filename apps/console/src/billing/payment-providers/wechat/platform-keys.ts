import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { Logger } from '@nestjs/common';

const PUBLIC_KEY_PREFIX = 'PUB_KEY_ID_';

interface PlatformKey {
  key: KeyObject;
  /** Unix time in milliseconds; infinite for a public key without a term. */
  validFromMillis: number;
  validUntilMillis: number;
}

const isPublicKeyId = (id: string) => id.startsWith(PUBLIC_KEY_PREFIX);

/** Throws unless the PEM is the certificate with this serial number. */
function readCertificate(serial: string, pem: string): PlatformKey {
  const certificate = new X509Certificate(pem);
  if (certificate.serialNumber.toUpperCase() !== serial) throw new Error(`the certificate is not ${serial}`);
  return {
    key: certificate.publicKey,
    validFromMillis: Date.parse(certificate.validFrom),
    validUntilMillis: Date.parse(certificate.validTo),
  };
}

const readPlatformKey = (id: string, pem: string): PlatformKey =>
  isPublicKeyId(id)
    ? { key: createPublicKey(pem), validFromMillis: -Infinity, validUntilMillis: Infinity }
    : readCertificate(id, pem);

const isValidNow = ({ validFromMillis, validUntilMillis }: PlatformKey) =>
  validFromMillis <= Date.now() && Date.now() < validUntilMillis;

/**
 * The keys that WeChat Pay signs with: a public key, certificates, or both during a change. An unknown serial number
 * causes a fetch of the certificates, at most one every `intervalMs`, so that forged notifications cause no load.
 */
export class PlatformKeys {
  private readonly logger = new Logger(PlatformKeys.name);
  private readonly keys: Map<string, PlatformKey>;
  private fetching: Promise<void> | null = null;
  private lastFetch = -Infinity;

  constructor(
    configured: Record<string, string>,
    /** Returns verified certificates: PEM text by serial number. */
    private readonly fetchCertificates: () => Promise<Record<string, string>>,
    private readonly intervalMs: number,
  ) {
    this.keys = new Map(Object.entries(configured).map(([id, pem]) => [id, readPlatformKey(id, pem)]));
  }

  /** Sent with requests, so that WeChat Pay signs its responses with this key. */
  get publicKeyId(): string | undefined {
    return [...this.keys.keys()].find(isPublicKeyId);
  }

  validKeys(): Record<string, KeyObject> {
    const valid = [...this.keys].filter(([, key]) => isValidNow(key));
    return Object.fromEntries(valid.map(([id, { key }]) => [id, key]));
  }

  /** Null if the key is not WeChat Pay's or is not valid now. */
  async find(id: string): Promise<KeyObject | null> {
    const findKnown = this.findKnown(id);
    if (findKnown || isPublicKeyId(id)) return findKnown;
    await this.refresh();
    return this.findKnown(id);
  }

  /** Fetches the certificates. Does not throw: on an error the keys stay unchanged. */
  async refresh(): Promise<void> {
    if ([...this.keys.keys()].every(isPublicKeyId)) return;
    if (!this.fetching) {
      // A monotonic clock: a wall clock that is set back would delay the next fetch.
      const now = performance.now();
      if (now - this.lastFetch < this.intervalMs) return;
      this.lastFetch = now;
      this.fetching = this.fetch().finally(() => (this.fetching = null));
    }
    await this.fetching;
  }

  private findKnown(id: string): KeyObject | null {
    const key = this.keys.get(isPublicKeyId(id) ? id : id.toUpperCase());
    return key && isValidNow(key) ? key.key : null;
  }

  private async fetch(): Promise<void> {
    try {
      for (const [serial, pem] of Object.entries(await this.fetchCertificates()))
        this.keys.set(serial.toUpperCase(), readCertificate(serial.toUpperCase(), pem));
    } catch (error) {
      this.logger.error(`WeChat Pay's certificates could not be fetched: ${(error as Error).message}`);
    }
  }
}
