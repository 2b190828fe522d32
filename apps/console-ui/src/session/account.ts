import { queryOptions, useQuery } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, useConsoleApi } from '../api/console-api';

const accountQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['account'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/auth/me', { signal })),
  });

/** The signed-in account with its role and language. */
export const useAccount = () => useQuery(accountQuery(useConsoleApi()));
