import { z } from 'zod';
import { emailField, identifierField, newPasswordField, passwordField } from './auth.dto';

export const forgottenPassword = z
  .object({ identifier: identifierField.optional(), email: identifierField.optional() })
  .refine(({ identifier, email }) => (identifier === undefined) !== (email === undefined), {
    path: ['identifier'],
    message: 'is missing (or "email" instead of it)',
  })
  .transform(({ identifier, email }) => ({ identifier: identifier ?? email ?? '' }));
export type ForgottenPassword = z.output<typeof forgottenPassword>;

/** Longer than any token that was ever sent. */
const tokenField = z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters');

export const passwordReset = z.object({ token: tokenField, password: newPasswordField });
export type PasswordReset = z.output<typeof passwordReset>;

export const passwordChange = z.object({
  current_password: passwordField,
  new_password: newPasswordField,
});
export type PasswordChange = z.output<typeof passwordChange>;

export const emailVerification = z.union(
  [z.object({ token: tokenField }), z.object({ email: emailField })],
  'must have a "token" that came by mail, or the "email" to send one to',
);
export type EmailVerification = z.output<typeof emailVerification>;
