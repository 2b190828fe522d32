import { z } from 'zod';
import { workspaceRole } from '../../access/workspace-role';

/** The body of POST …/keys. */
export const keyBody = z.strictObject({
  name: z.string().trim().min(1).max(100),
  role: workspaceRole.default('viewer'),
});
export type KeyBody = z.output<typeof keyBody>;
