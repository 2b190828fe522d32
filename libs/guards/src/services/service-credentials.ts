import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';

export const SERVICE_SECRETS = Symbol('SERVICE_SECRETS');

/** Secrets of each calling service, by the name of the service. All secrets of a service are valid. */
export type ServiceSecrets = Record<string, string[]>;

const digest = (secret: string) => createHash('sha256').update(secret).digest();

/** Identifies the platform's own services by their configured secrets. Keeps only digests of the secrets. */
@Injectable()
export class ServiceCredentials {
  private readonly known: { service: string; digest: Buffer }[];

  constructor(@Inject(SERVICE_SECRETS) secrets: ServiceSecrets) {
    this.known = Object.entries(secrets).flatMap(([service, values]) =>
      values.map((secret) => ({ service, digest: digest(secret) })),
    );
  }

  /** Returns the name of the service whose secret this is, or null. */
  identify(secret: string): string | null {
    const offered = digest(secret);
    // Digests have equal length, so the duration of the comparison reveals nothing about the secret.
    return this.known.find((one) => timingSafeEqual(one.digest, offered))?.service ?? null;
  }
}
