import { z } from 'zod';
import { identifierField } from '../accounts/account-fields';
import { mailTokenField } from '../email-verification/mail-token';
import { newPasswordField, passwordField } from './password-fields';

export const forgottenPassword = z
  .object({ identifier: identifierField.optional(), email: identifierField.optional() })
  .refine(({ identifier, email }) => (identifier === undefined) !== (email === undefined), {
    path: ['identifier'],
    message: 'is missing (or "email" instead of it)',
  })
  .transform(({ identifier, email }) => ({ identifier: identifier ?? email ?? '' }));
export type ForgottenPassword = z.output<typeof forgottenPassword>;

export const passwordReset = z.object({ token: mailTokenField, password: newPasswordField });
export type PasswordReset = z.output<typeof passwordReset>;

export const passwordChange = z.object({
  current_password: passwordField,
  new_password: newPasswordField,
});
export type PasswordChange = z.output<typeof passwordChange>;
