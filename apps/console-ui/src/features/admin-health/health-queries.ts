import { queryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas } from '../../api/console-api';

const REFRESH_MILLIS = 10_000;

export type SiteHealth = Schemas['SiteHealthResponse'];
export type ServiceHealth = SiteHealth['services'][number];

/** Asks all services every ten seconds. */
export const healthQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['admin-health'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/admin/health', { signal })),
    refetchInterval: REFRESH_MILLIS,
    staleTime: 0,
  });
