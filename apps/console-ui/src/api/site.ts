import { QueryClientContext, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { apiErrorOf, connectionError } from './api-error';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from './console-api';

/** `config.json` beside the pages: what differs between installations of the same build. */
export interface RuntimeConfig {
  /** Address of the console service without a slash at its end; empty if it is the origin of the pages. */
  apiUrl: string;
  /** Address of the pages without a slash at its end; that of the browser unless the console has rendered the page. */
  origin: string;
}

/** Throws an ApiError if the file cannot be read. */
export async function loadRuntimeConfig(): Promise<RuntimeConfig> {
  const response = await fetch('/config.json').catch((error: unknown) => {
    throw connectionError(error);
  });
  if (!response.ok) throw apiErrorOf(response, undefined);
  const { apiUrl = '' } = (await response.json()) as Partial<RuntimeConfig>;
  return { apiUrl: apiUrl.replace(/\/+$/, ''), origin: window.location.origin };
}

const RuntimeConfigContext = createContext<RuntimeConfig>({ apiUrl: '', origin: '' });

export const RuntimeConfigProvider = RuntimeConfigContext.Provider;
export const useRuntimeConfig = (): RuntimeConfig => use(RuntimeConfigContext);

export type Site = Schemas['SiteResponse'];

/** `cache`: `no-cache` asks the service whether what the browser keeps for a minute still holds. */
export const siteQuery = (api: ConsoleApi, cache: RequestCache = 'default') =>
  queryOptions({
    queryKey: ['site'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/site', { signal, cache })),
    staleTime: Infinity,
  });

/** Undefined where the site is not known yet, such as where the console cannot be reached. */
export const useKnownSite = (): Site | undefined => use(QueryClientContext)?.getQueryData<Site>(['site']);

/** What the site is: its name, currency, time zone and addresses. All pages wait for it. */
export const useSite = (): Site => useSuspenseQuery(siteQuery(useConsoleApi())).data;
