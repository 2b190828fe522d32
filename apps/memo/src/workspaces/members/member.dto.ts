import { z } from 'zod';
import { workspaceRole } from '../../access/workspace-role';

/** The body of POST …/members. The account is given by its id or by its email address. */
export const newMemberBody = z
  .strictObject({
    user_id: z.string().min(1).max(64).optional(),
    email: z.string().min(3).max(254).optional(),
    role: workspaceRole,
  })
  .refine(({ user_id: id, email }) => (id === undefined) !== (email === undefined), {
    message: 'either user_id or email must be given',
  });
export type NewMemberBody = z.output<typeof newMemberBody>;

export const memberBody = z.strictObject({ role: workspaceRole });
export type MemberBody = z.output<typeof memberBody>;
