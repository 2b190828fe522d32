import { z } from 'zod';
import { passwordField } from '../auth/auth.dto';

/** Six digits, however they are spaced, or a recovery code. */
const codeField = z
  .string()
  .max(64, 'must have at most 64 characters')
  .transform((code) => code.replace(/\s/g, ''))
  .refine((code) => code !== '', 'must not be empty');

export const enabling = z.object({ code: codeField });
export type Enabling = z.output<typeof enabling>;

/** The password may be left out by an account that has none. */
export const confirmation = z.object({ password: passwordField.optional(), code: codeField });
export type Confirmation = z.output<typeof confirmation>;

export const verification = z.object({
  challenge_id: z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
  code: codeField,
});
export type Verification = z.output<typeof verification>;

export interface SetupView {
  /** Base32, to type into an authenticator. */
  secret: string;
  otpauth_url: string;
  /** The same as a picture: a PNG as a data URL. */
  qr_code: string;
}

export interface RecoveryCodesView {
  /** Each works once instead of an authenticator's code; shown in this answer only. */
  recovery_codes: string[];
}
