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

/** Adds an upstream, or changes the given one. A credential is stored beside those that it has. */
export function useSaveUpstream(upstream: Upstream | undefined) {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: ({ name, credential, ...fields }: NewUpstream) => {
      const body = { ...fields, ...(credential && { credential }) };
      if (!upstream) return bodyOf(api.POST('/api/admin/upstreams', { body: { name, ...body } }));
      const params = { path: { id: upstream.id }, query: versionOf(upstream) };
      return bodyOf(api.PATCH('/api/admin/upstreams/{id}', { params, body }));
    },
    onSuccess: useRefresh(UPSTREAMS),
  });
}

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

export function useDeleteCredential(id: string) {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: (credential: string) =>
      api.DELETE('/api/admin/upstreams/{id}/credentials/{credential}', {
        params: { path: { id, credential } },
      }),
    onSuccess: useRefresh(UPSTREAMS),
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

/** Stores what is known of a model, or changes the given one. */
export function useSaveServedModel(model: ServedModel | undefined) {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: ({ slug, ...body }: NewServedModel) =>
      model
        ? bodyOf(
            api.PATCH('/api/admin/inference/models/{id}', {
              params: { path: { id: model.id }, query: versionOf(model) },
              body,
            }),
          )
        : bodyOf(api.POST('/api/admin/inference/models', { body: { slug, ...body } })),
    onSuccess: useRefresh(MODELS),
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
