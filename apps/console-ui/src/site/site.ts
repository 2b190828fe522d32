import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../api/console-api';

export type Site = Schemas['SiteResponse'];

export const siteQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['site'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/site', { signal })),
    staleTime: Infinity,
  });

/** What the site is: its name, currency, time zone and addresses. All pages wait for it. */
export const useSite = (): Site => useSuspenseQuery(siteQuery(useConsoleApi())).data;
