import { z } from 'zod';
import { MAX_IDENTIFIER_LENGTH } from './identifier';

export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;

export const emailField = z
  .string()
  .trim()
  .toLowerCase()
  .max(MAX_IDENTIFIER_LENGTH, `must have at most ${MAX_IDENTIFIER_LENGTH} characters`)
  .pipe(z.email('must be an e-mail address'));

export const newPasswordField = z
  .string()
  .min(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
  .max(MAX_PASSWORD_LENGTH, `must have at most ${MAX_PASSWORD_LENGTH} characters`);

export const registration = z.object({
  email: emailField,
  password: newPasswordField,
  phone: z.string().max(40, 'must have at most 40 characters').optional(),
  username: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z][a-z0-9._-]{2,31}$/, 'must begin with a letter and have 3 to 32 of a-z, 0-9, ".", "_", "-"')
    .optional(),
});
export type Registration = z.output<typeof registration>;

export const login = z.object({
  identifier: z
    .string()
    .min(1, 'must not be empty')
    .max(MAX_IDENTIFIER_LENGTH, `must have at most ${MAX_IDENTIFIER_LENGTH} characters`),
  password: z
    .string()
    .min(1, 'must not be empty')
    .max(MAX_PASSWORD_LENGTH, `must have at most ${MAX_PASSWORD_LENGTH} characters`),
});
export type Login = z.output<typeof login>;

/** Answer of register and login (spec: Login request and response). */
export interface SessionView {
  token: string;
  user: { id: string; email: string };
}

export interface UserView {
  id: string;
  email: string;
  phone: string | null;
  username: string | null;
  role: string;
  /** ISO 8601. */
  created_at: string;
}
