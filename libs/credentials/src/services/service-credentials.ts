import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from '../credentials.options';

const digest = (secret: string) => createHash('sha256').update(secret).digest();

/** Knows the platform's own services by the secrets that are configured for them; only digests are kept. */
@Injectable()
export class ServiceCredentials {
  private readonly known: { service: string; digest: Buffer }[];

  constructor(@Inject(CREDENTIALS_OPTIONS) options: CredentialsOptions) {
    this.known = Object.entries(options.serviceCredentials ?? {}).flatMap(([service, secrets]) =>
      secrets.map((secret) => ({ service, digest: digest(secret) })),
    );
  }

  /** The name of the service whose secret this is. */
  find(secret: string): string | null {
    const offered = digest(secret);
    // Digests have one length and say nothing of the secret, so the comparison's time does not either.
    return this.known.find((one) => timingSafeEqual(one.digest, offered))?.service ?? null;
  }
}
