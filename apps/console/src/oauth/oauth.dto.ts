import { z } from 'zod';
import { passwordField } from '../auth/auth.dto';

const MAX_RETURN_CHARS = 512;

/**
 * Where in the interface a sign-in ends: a path of its own, in the characters of a URL; two slashes or a backslash
 * would name another host to some browser.
 */
const returnTo = z
  .string('must be given once')
  .max(MAX_RETURN_CHARS, `must have at most ${MAX_RETURN_CHARS} characters`)
  .refine(
    (path) => /^\/[\x21-\x5b\x5d-\x7e]*$/.test(path) && !path.includes('//'),
    'must be a path that begins with one "/" and has no other host',
  );

export const start = z.object({ return_to: returnTo.optional() });
export type Start = z.output<typeof start>;

/** The password may be left out by an account that has none. */
export const linkStart = start.extend({ password: passwordField.optional() }).optional();
export type LinkStart = z.output<typeof linkStart>;

/** Who an account is at a provider. */
export interface IdentityView {
  id: string;
  /** Its name here; null when this site does not offer it any more. */
  provider: string | null;
  issuer: string;
  /** What the provider said when the identity was linked. */
  email: string | null;
  /** ISO 8601. */
  created_at: string;
}
