import { z } from 'zod';
import { passwordField } from '../passwords/password-fields';

const MAX_RETURN_CHARS = 512;

/**
 * Path of the console's pages to which a sign-in returns. Two slashes or a backslash are refused, because some browsers
 * would read the following text as a host.
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

/** An account that has no password leaves it out. */
export const linkStart = start.extend({ password: passwordField.optional() }).optional();
export type LinkStart = z.output<typeof linkStart>;
