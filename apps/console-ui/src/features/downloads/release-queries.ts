import { queryOptions } from '@tanstack/react-query';
import { toApiError } from '../../api/api-error';
import { bodyOf, type ConsoleApi, type Schemas } from '../../api/console-api';

export type Release = Schemas['ReleaseResponse'];
export type Asset = Schemas['ReleaseAssetResponse'];

export const COMPONENTS = ['engine', 'router', 'agent', 'memo'] as const;
export type Component = (typeof COMPONENTS)[number];

/** The newest release; null if none is published. */
export const releaseQuery = (api: ConsoleApi, component: Component) =>
  queryOptions({
    queryKey: ['release', component],
    queryFn: async ({ signal }): Promise<Release | null> => {
      try {
        return await bodyOf(api.GET(`/api/download/${component}-latest`, { signal }));
      } catch (error) {
        if (toApiError(error).status === 404) return null;
        throw error;
      }
    },
  });
