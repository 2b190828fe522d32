import { z } from 'zod';
import { LANGUAGES } from '../accounts/accounts';
import { emailField, identifierField, usernameField } from '../accounts/account-fields';
import { newPasswordField, passwordField } from '../passwords/password-fields';
import { codeField } from '../second-factor/two-factor.dto';

export const registration = z.object({
  email: emailField,
  password: newPasswordField,
  phone: z.string().max(40, 'must have at most 40 characters').optional(),
  username: usernameField.optional(),
  /** Language of mails. By default that of the browser, or else that of the site. */
  language: z.enum(LANGUAGES, `must be ${LANGUAGES.join(' or ')}`).optional(),
});
export type Registration = z.output<typeof registration>;

export const login = z.object({ identifier: identifierField, password: passwordField });
export type Login = z.output<typeof login>;

export const challengeAnswer = z.object({
  challenge_id: z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
  code: codeField,
});
export type ChallengeAnswer = z.output<typeof challengeAnswer>;

/** Response to a complete sign-in. */
export interface SessionView {
  token: string;
  user: { id: string; email: string };
}

/** First response to a sign-in with two factors. `POST /api/auth/2fa/verify` completes the sign-in. */
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
  /** Whether the owner has proved to receive mail at the address. */
  email_verified: boolean;
  phone: string | null;
  username: string | null;
  role: string;
  /** Language of mails: `en` or `zh-CN`. */
  language: string;
  /** False for an account that signs in through a provider only. */
  has_password: boolean;
  two_factor_enabled: boolean;
  /** ISO 8601. */
  created_at: string;
}
