import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { type Figure } from '../../figures/figure';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';

export type ApiKey = Schemas['ApiKeyResponse'];
export type KeyMaker = Schemas['KeyMaker'];
export type NewApiKey = Schemas['CreateApiKeyDto'];
export type CreatedApiKey = Schemas['CreatedApiKeyResponse'];

const KEYS = ['keys'];

export const keysQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: KEYS,
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/api/api-keys', { signal }))).api_keys,
  });

export function useCreateKey() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: NewApiKey) => bodyOf(api.POST('/api/api-keys', { body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: KEYS }),
    // The answer holds the secret: no cache keeps it.
    gcTime: 0,
  });
}

export function useEditKey(id: string) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: NewApiKey) =>
      bodyOf(api.PATCH('/api/api-keys/{id}', { params: { path: { id } }, body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: KEYS }),
  });
}

export function useRotateKey() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, overlapSeconds }: { id: string; overlapSeconds: Figure }) =>
      bodyOf(
        api.POST('/api/api-keys/{id}/rotate', {
          params: { path: { id } },
          body: { overlap_seconds: overlapSeconds },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: KEYS }),
    // The answer holds the secret: no cache keeps it.
    gcTime: 0,
  });
}

export function useDeleteKey() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.DELETE('/api/api-keys/{id}', { params: { path: { id } } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: KEYS }),
  });
}
