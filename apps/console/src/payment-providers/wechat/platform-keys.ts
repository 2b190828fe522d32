import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { Logger } from '@nestjs/common';

const PUBLIC_KEY_PREFIX = 'PUB_KEY_ID_';

interface PlatformKey {
  key: KeyObject;
  /** Milliseconds since 1970. */
  from: number;
  until: number;
}

const isPublicKeyId = (id: string) => id.startsWith(PUBLIC_KEY_PREFIX);

/** Throws when it is no certificate, or not the one with this serial number. */
function keyOfCertificate(serial: string, pem: string): PlatformKey {
  const certificate = new X509Certificate(pem);
  if (certificate.serialNumber.toUpperCase() !== serial) throw new Error(`the certificate is not ${serial}`);
  return {
    key: certificate.publicKey,
    from: Date.parse(certificate.validFrom),
    until: Date.parse(certificate.validTo),
  };
}

const keyOf = (id: string, pem: string): PlatformKey =>
  isPublicKeyId(id)
    ? { key: createPublicKey(pem), from: -Infinity, until: Infinity }
    : keyOfCertificate(id, pem);

const isInForce = ({ from, until }: PlatformKey) => from <= Date.now() && Date.now() < until;

/**
 * What WeChat Pay signs with: a public key, certificates, or both while one replaces the other. New certificates are
 * fetched when one is met that is not known; until two fetches are `intervalMs` apart, a foreign serial number is
 * just not known, whoever sends it.
 */
export class PlatformKeys {
  private readonly logger = new Logger(PlatformKeys.name);
  private readonly keys: Map<string, PlatformKey>;
  private fetching: Promise<void> | null = null;
  private lastFetch = -Infinity;

  constructor(
    configured: Record<string, string>,
    /** Serial numbers and PEM texts, proven to be WeChat Pay's. */
    private readonly fetchCertificates: () => Promise<Record<string, string>>,
    private readonly intervalMs: number,
  ) {
    this.keys = new Map(Object.entries(configured).map(([id, pem]) => [id, keyOf(id, pem)]));
  }

  /** Named in requests, so that WeChat Pay signs its answers with it. */
  get publicKeyId(): string | undefined {
    return [...this.keys.keys()].find(isPublicKeyId);
  }

  inForce(): Record<string, KeyObject> {
    const valid = [...this.keys].filter(([, key]) => isInForce(key));
    return Object.fromEntries(valid.map(([id, { key }]) => [id, key]));
  }

  /** Null when WeChat Pay does not name it as its own, or not any more. */
  async find(id: string): Promise<KeyObject | null> {
    const known = this.known(id);
    if (known || isPublicKeyId(id)) return known;
    await this.refresh();
    return this.known(id);
  }

  /** Does not throw: without an answer the keys stay what they are. */
  async refresh(): Promise<void> {
    if ([...this.keys.keys()].every(isPublicKeyId)) return;
    if (!this.fetching) {
      // Not by the wall clock: set back, it would keep the certificates from being fetched.
      const now = performance.now();
      if (now - this.lastFetch < this.intervalMs) return;
      this.lastFetch = now;
      this.fetching = this.fetch().finally(() => (this.fetching = null));
    }
    await this.fetching;
  }

  private known(id: string): KeyObject | null {
    const key = this.keys.get(isPublicKeyId(id) ? id : id.toUpperCase());
    return key && isInForce(key) ? key.key : null;
  }

  private async fetch(): Promise<void> {
    try {
      for (const [serial, pem] of Object.entries(await this.fetchCertificates()))
        this.keys.set(serial.toUpperCase(), keyOfCertificate(serial.toUpperCase(), pem));
    } catch (error) {
      this.logger.error(`WeChat Pay's certificates could not be fetched: ${(error as Error).message}`);
    }
  }
}
