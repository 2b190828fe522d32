import createClient, { type Client } from 'openapi-fetch';
import { useMemo } from 'react';
import { refuseInView } from './account-view';
import { exactFetch } from './authorized-fetch';
import { stringifyExact } from './exact-json';
import { type components as MemoComponents, type paths as MemoPaths } from './schema/memo';
import { type components as TrainingComponents, type paths as TrainingPaths } from './schema/training';
import { useSession } from './session';
import { useSite } from './site';

export type MemoApi = Client<MemoPaths>;
export type MemoSchemas = MemoComponents['schemas'];
export type TrainingApi = Client<TrainingPaths>;
export type TrainingSchemas = TrainingComponents['schemas'];

/** A client of a service on a host of its own, which takes the session's token and no cookie. */
function useServiceApi<Paths extends object>(baseUrl: string): Client<Paths> {
  const session = useSession();
  return useMemo(
    () =>
      createClient<Paths>({
        baseUrl,
        fetch: exactFetch(session, refuseInView),
        bodySerializer: stringifyExact,
      }),
    [baseUrl, session],
  );
}

export const useMemoApi = (): MemoApi => useServiceApi<MemoPaths>(useSite().urls.memo);

export const useTrainingApi = (): TrainingApi => useServiceApi<TrainingPaths>(useSite().urls.training);
