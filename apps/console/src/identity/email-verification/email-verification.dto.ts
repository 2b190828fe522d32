import { z } from 'zod';
import { emailField } from '../accounts/account-fields';
import { mailTokenField } from './mail-token';

export const emailVerification = z.union(
  [z.object({ token: mailTokenField }), z.object({ email: emailField })],
  'must have a "token" that came by mail, or the "email" to send one to',
);
export type EmailVerification = z.output<typeof emailVerification>;
