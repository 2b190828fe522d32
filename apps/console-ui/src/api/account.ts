import { queryOptions, useQuery } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, useConsoleApi } from './console-api';
import { useSessionState } from './session';

const accountQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['account'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/auth/me', { signal })),
    // The address is confirmed in another tab, to which the link in the mail leads.
    refetchOnWindowFocus: ({ state }) => (state.data?.email_verified === false ? 'always' : true),
  });

/** Tells whether the signed-in account may use a route for staff, such as `GET /api/admin/accounts`. */
export function useMay(): (route: string) => boolean {
  const routes = useAccount().data?.staff_routes ?? [];
  return (route) => routes.includes(route);
}

/** The signed-in account with its role and language. */
export function useAccount() {
  const { status } = useSessionState();
  return useQuery({ ...accountQuery(useConsoleApi()), enabled: status === 'signed-in' });
}
