import { type Caller } from '@inference/credentials';
import { OpenAiError } from '../errors/openai-error';

const FORM = /^[a-z0-9._-]{1,64}$/;
const DEFAULT_ENTRYPOINT = 'gateway';
/** Set by the platform's own services, never by a customer. */
const RESERVED = new Set(['agent', 'memo', 'training']);

/**
 * What the client names as the origin of its request in `X-Entrypoint`; the cost report groups by it. A service that acts
 * on behalf of an account can name none but itself, and need not.
 */
export function readEntrypoint(header: string | string[] | undefined, { service }: Caller): string {
  if (header === undefined) return service ?? DEFAULT_ENTRYPOINT;
  if (typeof header !== 'string' || !FORM.test(header)) {
    throw new OpenAiError(400, 'X-Entrypoint must be 1 to 64 of a-z 0-9 . _ -', {
      code: 'invalid_header',
      param: 'X-Entrypoint',
    });
  }
  if (service === undefined && RESERVED.has(header))
    throw reserved(`The entrypoint ${header} is set by the platform itself.`);
  if (service !== undefined && header !== service)
    throw reserved(`The entrypoint of ${service} is ${service}.`);
  return header;
}

const reserved = (message: string) =>
  new OpenAiError(403, message, { code: 'reserved_entrypoint', param: 'X-Entrypoint' });
