import { z } from 'zod';
import { passwordField } from '../passwords/password-fields';

/** Six digits with any spaces, or a recovery code. */
export const codeField = z
  .string()
  .max(64, 'must have at most 64 characters')
  .transform((code) => code.replace(/\s/g, ''))
  .refine((code) => code !== '', 'must not be empty');

export const enabling = z.object({ code: codeField });
export type Enabling = z.output<typeof enabling>;

/** An account that has no password leaves it out. */
export const confirmation = z.object({ password: passwordField.optional(), code: codeField });
export type Confirmation = z.output<typeof confirmation>;

/** The password of the admin who acts. */
export const adminPassword = z.object({ password: passwordField });
export type AdminPassword = z.output<typeof adminPassword>;

export interface SetupView {
  /** Base32, to be typed into an authenticator app. */
  secret: string;
  otpauth_url: string;
  /** QR code of `otpauth_url`: a PNG as a data URL. */
  qr_code: string;
}

export interface RecoveryCodesView {
  /** Each works once in place of an authenticator's code. They are shown in this response only. */
  recovery_codes: string[];
}
