import { queryOptions, useQuery } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from './console-api';
import { useSessionState } from './session';

export type Role = Schemas['UserResponse']['role'];

const accountQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['account'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/auth/me', { signal })),
    // The address is confirmed in another tab, to which the link in the mail leads.
    refetchOnWindowFocus: ({ state }) => (state.data?.email_verified === false ? 'always' : true),
  });

/** The signed-in account with its role and language. */
export function useAccount() {
  const { status } = useSessionState();
  return useQuery({ ...accountQuery(useConsoleApi()), enabled: status === 'signed-in' });
}
