import { type Caller } from '@inference/guards';
import { InvalidHeaderError, ReservedEntrypointError } from './request.errors';

const FORM = /^[a-z0-9._-]{1,64}$/;
const DEFAULT_ENTRYPOINT = 'gateway';
/** Entrypoints of the platform's own services; customers cannot use them. */
const RESERVED = new Set(['agent', 'memo', 'training']);

/**
 * Reads the origin of a request from `X-Entrypoint`; the cost report groups by it. A service that acts on behalf of an
 * account can name only itself, which is also its default. Throws InvalidHeaderError, ReservedEntrypointError.
 */
export function readEntrypoint(header: string | string[] | undefined, { service }: Caller): string {
  if (header === undefined) return service ?? DEFAULT_ENTRYPOINT;
  if (typeof header !== 'string' || !FORM.test(header)) {
    throw new InvalidHeaderError('X-Entrypoint', 'must be 1 to 64 of a-z 0-9 . _ -');
  }
  if (service === undefined && RESERVED.has(header))
    throw new ReservedEntrypointError(`The entrypoint ${header} is set by the platform itself.`);
  if (service !== undefined && header !== service)
    throw new ReservedEntrypointError(`The entrypoint of ${service} is ${service}.`);
  return header;
}
