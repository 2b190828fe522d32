import { useAccount } from '../session/account';
import { AREA_GROUPS, type AreaGroup } from './navigation';

/** The areas that the signed-in account may use. */
export function useAreaGroups(): AreaGroup[] {
  const { data } = useAccount();
  return AREA_GROUPS.filter(({ role }) => role === undefined || role === data?.role);
}
