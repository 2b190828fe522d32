import { queryOptions } from '@tanstack/react-query';
import { toApiError } from '../../api/api-error';
import { bodyOf, type ConsoleApi, type Schemas } from '../../api/console-api';

export type SiteStatus = Schemas['SiteStatusResponse'];

/** Caches keep an answer for a minute. */
const REFRESH_MILLIS = 60_000;

/** Null if the site has no status page. */
export const statusQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['status'],
    queryFn: async ({ signal }): Promise<SiteStatus | null> => {
      try {
        return await bodyOf(api.GET('/api/status', { signal }));
      } catch (error) {
        if (toApiError(error).status === 404) return null;
        throw error;
      }
    },
    refetchInterval: REFRESH_MILLIS,
  });
