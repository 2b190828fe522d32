import { type Role } from '@inference/guards';
import { pageQuery } from '@inference/http';
import { z } from 'zod';
import { identifierField } from './account-fields';

export const roleField = z.enum(
  ['user', 'analyst', 'admin'] satisfies Role[],
  'must be user, analyst or admin',
);

/** `identifier`: a whole e-mail address, phone number or username. */
export const accountsQuery = pageQuery.extend({ identifier: identifierField.optional() });
export type AccountsQuery = z.output<typeof accountsQuery>;

export const roleChange = z.object({ role: roleField });
export type RoleChange = z.output<typeof roleChange>;

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
