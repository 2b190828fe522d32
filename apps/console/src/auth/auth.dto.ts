import { z } from 'zod';
import { LANGUAGES } from './accounts';
import { MAX_IDENTIFIER_LENGTH } from './identifier';

const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 256;

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
  /** Of mails; by the browser's, else the site's own, unless told. */
  language: z.enum(LANGUAGES, `must be ${LANGUAGES.join(' or ')}`).optional(),
});
export type Registration = z.output<typeof registration>;

export const identifierField = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_IDENTIFIER_LENGTH, `must have at most ${MAX_IDENTIFIER_LENGTH} characters`);

export const passwordField = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_PASSWORD_LENGTH, `must have at most ${MAX_PASSWORD_LENGTH} characters`);

export const login = z.object({ identifier: identifierField, password: passwordField });
export type Login = z.output<typeof login>;

/** A complete sign-in (spec: Login request and response). */
export interface SessionView {
  token: string;
  user: { id: string; email: string };
}

/** What a sign-in with two factors answers first; `POST /api/auth/2fa/verify` completes it. */
export interface ChallengeView {
  challenge: {
    id: string;
    methods: ('totp' | 'recovery_code')[];
    /** ISO 8601. */
    expires_at: string;
  };
}

export interface UserView {
  id: string;
  email: string;
  /** Whether somebody has proved to receive mail there. */
  email_verified: boolean;
  phone: string | null;
  username: string | null;
  role: string;
  /** Of mails: en or zh-CN. */
  language: string;
  /** False for an account that only ever signs in through another provider. */
  has_password: boolean;
  two_factor_enabled: boolean;
  /** ISO 8601. */
  created_at: string;
}
