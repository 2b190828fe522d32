import { z } from 'zod';
import { EMAIL, MAX_EMAIL_LENGTH } from '@inference/dto';

/** An e-mail address that a provider or an operator names. Fields of requests have `EmailField`. */
export const emailField = z
  .string()
  .trim()
  .toLowerCase()
  .max(MAX_EMAIL_LENGTH, `must have at most ${MAX_EMAIL_LENGTH} characters`)
  .regex(EMAIL, 'must be an e-mail address');
