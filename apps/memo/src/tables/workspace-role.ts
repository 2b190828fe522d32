/** In ascending order: each role includes the permissions of the roles before it. */
export const WORKSPACE_ROLES = ['viewer', 'editor', 'admin'] as const;
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

/** Whether a role includes the permissions of another one. */
export const isAtLeast = (role: WorkspaceRole, other: WorkspaceRole): boolean =>
  WORKSPACE_ROLES.indexOf(role) >= WORKSPACE_ROLES.indexOf(other);

export const lowerRole = (one: WorkspaceRole, other: WorkspaceRole): WorkspaceRole =>
  isAtLeast(one, other) ? other : one;
