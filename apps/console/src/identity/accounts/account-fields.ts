import { z } from 'zod';
import { MAX_IDENTIFIER_LENGTH } from './identifier';

export const emailField = z
  .string()
  .trim()
  .toLowerCase()
  .max(MAX_IDENTIFIER_LENGTH, `must have at most ${MAX_IDENTIFIER_LENGTH} characters`)
  .pipe(z.email('must be an e-mail address'));

export const usernameField = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z][a-z0-9._-]{2,31}$/, 'must begin with a letter and have 3 to 32 of a-z, 0-9, ".", "_", "-"');

/** An e-mail address, a phone number or a username, as it was typed. */
export const identifierField = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_IDENTIFIER_LENGTH, `must have at most ${MAX_IDENTIFIER_LENGTH} characters`);
