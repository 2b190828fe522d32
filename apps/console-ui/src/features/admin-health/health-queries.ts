import { queryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi } from '../../api/console-api';
import { observe, type ObservedHealth } from './observed-health';

const REFRESH_MILLIS = 10_000;

/** Asks all services every ten seconds and keeps since when each is in its state. */
export const healthQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['admin-health'],
    queryFn: async ({ signal, client, queryKey }) => {
      const health = await bodyOf(api.GET('/api/admin/health', { signal }));
      return observe(health, client.getQueryData<ObservedHealth>(queryKey));
    },
    refetchInterval: REFRESH_MILLIS,
    staleTime: 0,
  });
