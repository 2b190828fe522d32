import { type MemoSchemas } from '../../api/service-apis';

export type Role = MemoSchemas['WorkspaceResponse']['role'];

/** From the least to the most rights. */
const ROLES: readonly Role[] = ['viewer', 'editor', 'admin'];

/** Whether somebody with a role may do what needs another one. */
export const hasRole = (own: Role, needed: Role): boolean => ROLES.indexOf(own) >= ROLES.indexOf(needed);

/** The roles that somebody may give: none above the own one. */
export const rolesUpTo = (own: Role): Role[] => ROLES.filter((role) => hasRole(own, role));
