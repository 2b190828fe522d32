import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { type Figure } from '../../figures/figure';

export type Upstream = Schemas['UpstreamResponse'];
export type NewUpstream = Schemas['NewUpstreamDto'];
export type ServedModel = Schemas['ServedModelResponse'];
export type ModelFigures = Schemas['ModelFiguresResponse'];
export type NewServedModel = Schemas['NewServedModelDto'];

const UPSTREAMS = ['admin-upstreams'];
const MODELS = ['admin-served-models'];
/** Gateways report every two seconds. */
const REFRESH_MILLIS = 2_000;

export const upstreamsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: UPSTREAMS,
    queryFn: ({ signal }) => bodyOf(api.GET('/api/admin/upstreams', { signal })),
    refetchInterval: REFRESH_MILLIS,
    staleTime: 0,
  });

export const servedModelsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: MODELS,
    queryFn: ({ signal }) => bodyOf(api.GET('/api/admin/inference/models', { signal })),
    refetchInterval: REFRESH_MILLIS,
    staleTime: 0,
  });

const versionOf = ({ version }: { version: Figure }) => ({ version: Number(version.toString()) });

function useRefresh(queryKey: string[]) {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey });
}

/** Of a change that is based on what is stored; undefined: nothing is. */
const changeQuery = (base: { version: Figure } | undefined, isDryRun: boolean) => ({
  ...(base && versionOf(base)),
  ...(isDryRun && { dry_run: true }),
});

/**
 * Adds an upstream, or changes the given one. A dry run stores nothing. A credential is stored beside those that it has.
 * @param fields without those that stay; all of them for a new one
 */
export async function sendUpstream(
  api: ConsoleApi,
  base: Upstream | undefined,
  { name, credential, ...fields }: Partial<NewUpstream>,
  isDryRun: boolean,
): Promise<Upstream> {
  const body = { ...fields, ...(credential && { credential }) };
  const query = changeQuery(base, isDryRun);
  if (base)
    return bodyOf(api.PATCH('/api/admin/upstreams/{id}', { params: { path: { id: base.id }, query }, body }));
  const added = { ...body, name } as NewUpstream;
  return bodyOf(api.POST('/api/admin/upstreams', { params: { query }, body: added }));
}

/** Stores what is known of a model, or changes the given one. A dry run stores nothing. */
export async function sendServedModel(
  api: ConsoleApi,
  base: ServedModel | undefined,
  { slug, ...body }: Partial<NewServedModel>,
  isDryRun: boolean,
): Promise<ServedModel> {
  const query = changeQuery(base, isDryRun);
  if (base) {
    const params = { path: { id: base.id }, query };
    return bodyOf(api.PATCH('/api/admin/inference/models/{id}', { params, body }));
  }
  const added = { ...body, slug } as NewServedModel;
  return bodyOf(api.POST('/api/admin/inference/models', { params: { query }, body: added }));
}

export const useRefreshUpstreams = () => useRefresh(UPSTREAMS);
export const useRefreshServedModels = () => useRefresh(MODELS);

/** Drains an upstream, takes it out of service, or brings it back. */
export function useSetState() {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: ({ upstream, state }: { upstream: Upstream; state: Upstream['state'] }) => {
      const params = { path: { id: upstream.id }, query: versionOf(upstream) };
      return state === 'draining'
        ? bodyOf(api.POST('/api/admin/upstreams/{id}/drain', { params }))
        : bodyOf(api.PATCH('/api/admin/upstreams/{id}', { params, body: { state } }));
    },
    onSuccess: useRefresh(UPSTREAMS),
  });
}

export function useDeleteUpstream() {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: (upstream: Upstream) =>
      api.DELETE('/api/admin/upstreams/{id}', {
        params: { path: { id: upstream.id }, query: versionOf(upstream) },
      }),
    onSuccess: useRefresh(UPSTREAMS),
  });
}

export function useDeleteCredential(upstream: Upstream) {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: (credential: string) =>
      api.DELETE('/api/admin/upstreams/{id}/credentials/{credential}', {
        params: { path: { id: upstream.id, credential }, query: versionOf(upstream) },
      }),
    onSettled: useRefresh(UPSTREAMS),
  });
}

/** Lists the models of an upstream and calls one. */
export function useTestUpstream() {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: (id: string) =>
      bodyOf(api.POST('/api/admin/upstreams/{id}/test', { params: { path: { id } }, body: {} })),
  });
}

/** As `useTestUpstream`, with settings that are not stored yet. */
export function useTestSettings() {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: (body: Schemas['TestSettingsDto']) => bodyOf(api.POST('/api/admin/upstreams/test', { body })),
  });
}

export function useDeleteServedModel() {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: (model: ServedModel) =>
      api.DELETE('/api/admin/inference/models/{id}', {
        params: { path: { id: model.id }, query: versionOf(model) },
      }),
    onSuccess: useRefresh(MODELS),
  });
}
