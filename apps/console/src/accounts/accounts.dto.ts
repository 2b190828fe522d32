import { type Role } from '@inference/credentials';
import { pageQuery } from '@inference/http';
import { z } from 'zod';
import { identifierField, passwordField } from '../auth/auth.dto';

export const roleField = z.enum(
  ['user', 'analyst', 'admin'] satisfies Role[],
  'must be user, analyst or admin',
);

/** `identifier`: an e-mail address, phone number or username, whole. */
export const accountsQuery = pageQuery.extend({ identifier: identifierField.optional() });
export type AccountsQuery = z.output<typeof accountsQuery>;

export const roleChange = z.object({ role: roleField });
export type RoleChange = z.output<typeof roleChange>;

/** The admin's own password. */
export const reassurance = z.object({ password: passwordField });
export type Reassurance = z.output<typeof reassurance>;

/** An account as admins see it. */
export interface AccountView {
  id: string;
  email: string;
  email_verified: boolean;
  phone: string | null;
  username: string | null;
  role: Role;
  two_factor_enabled: boolean;
  /** ISO 8601. */
  created_at: string;
}
