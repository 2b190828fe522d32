import { type Role, useAccount } from '../session/account';
import { AREA_GROUPS, type AreaGroup } from './navigation';

/** The areas that the signed-in account may use. */
export function useAreaGroups(): AreaGroup[] {
  const role = useAccount().data?.role;
  const isOpen = ({ roles }: { roles?: Role[] }) =>
    roles === undefined || (role !== undefined && roles.includes(role));
  return AREA_GROUPS.filter(isOpen).map((group) => ({ ...group, areas: group.areas.filter(isOpen) }));
}
