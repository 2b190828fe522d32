import { type Role, rolesUpTo } from './roles';
import { useWorkspaceTexts } from './workspace-texts';

/** What a field offers to somebody with a role. */
export function useRoleOptions(own: Role): { value: Role; label: string }[] {
  const t = useWorkspaceTexts();
  return rolesUpTo(own).map((role) => ({ value: role, label: t(`role.${role}`) }));
}

/** What a role may do. */
export function RoleHint({ role }: { role: Role }) {
  const t = useWorkspaceTexts();
  return t(`role.${role}.hint`);
}
