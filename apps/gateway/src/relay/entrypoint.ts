import { OpenAiError } from '../errors/openai-error';

const FORM = /^[a-z0-9._-]{1,64}$/;
const DEFAULT_ENTRYPOINT = 'gateway';
/** Set by the platform's own services, never by a customer. */
const RESERVED = new Set(['agent', 'memo']);

/** What the client names as the origin of its request in `X-Entrypoint`; the cost report groups by it. */
export function readEntrypoint(header: string | string[] | undefined): string {
  if (header === undefined) return DEFAULT_ENTRYPOINT;
  if (typeof header !== 'string' || !FORM.test(header)) {
    throw new OpenAiError(400, 'X-Entrypoint must be 1 to 64 of a-z 0-9 . _ -', {
      code: 'invalid_header',
      param: 'X-Entrypoint',
    });
  }
  if (RESERVED.has(header)) {
    throw new OpenAiError(403, `The entrypoint ${header} is set by the platform itself.`, {
      code: 'reserved_entrypoint',
      param: 'X-Entrypoint',
    });
  }
  return header;
}
