import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf } from '../../api/console-api';
import { type MemoApi, type MemoSchemas, useMemoApi } from '../../api/service-apis';
import { pageAfter, workspaceKey } from './workspace-queries';

export type WorkspaceKey = MemoSchemas['KeyResponse'];
export type CreatedWorkspaceKey = MemoSchemas['CreatedKeyResponse'];

const keysKey = (workspaceId: string) => [...workspaceKey(workspaceId), 'keys'];

export const workspaceKeysQuery = (api: MemoApi, workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: keysKey(workspaceId),
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/v1/workspaces/{workspace_id}/keys', {
          signal,
          params: { path: { workspace_id: workspaceId }, query: pageAfter(pageParam) },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });

export function useCreateWorkspaceKey(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: MemoSchemas['CreateKeyDto']) =>
      bodyOf(
        api.POST('/v1/workspaces/{workspace_id}/keys', {
          params: { path: { workspace_id: workspaceId } },
          body,
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysKey(workspaceId) }),
    // The answer holds the secret: no cache keeps it.
    gcTime: 0,
  });
}

export function useDeleteWorkspaceKey(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return async (keyId: string) => {
    await api.DELETE('/v1/workspaces/{workspace_id}/keys/{key_id}', {
      params: { path: { workspace_id: workspaceId, key_id: keyId } },
    });
    await queryClient.invalidateQueries({ queryKey: keysKey(workspaceId) });
  };
}
