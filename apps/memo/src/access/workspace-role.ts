import { z } from 'zod';

/** In ascending order: each may do what those before it may (design: Memo). */
export const WORKSPACE_ROLES = ['viewer', 'editor', 'admin'] as const;
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

export const workspaceRole = z.enum(WORKSPACE_ROLES);

/** Whether a role may do what another one may. */
export const isAtLeast = (role: WorkspaceRole, other: WorkspaceRole): boolean =>
  WORKSPACE_ROLES.indexOf(role) >= WORKSPACE_ROLES.indexOf(other);
