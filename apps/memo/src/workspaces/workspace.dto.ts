import { z } from 'zod';

/** The body of POST /v1/workspaces and of PATCH of one. */
export const workspaceBody = z.strictObject({ name: z.string().trim().min(1).max(200) });
export type WorkspaceBody = z.output<typeof workspaceBody>;
