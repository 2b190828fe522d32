import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf } from '../../../api/console-api';
import { type MemoApi, type MemoSchemas, useMemoApi } from '../../../api/service-apis';
import { type Role } from '../roles';
import { pageAfter, workspaceKey } from '../workspace-queries';

export type Member = MemoSchemas['MemberResponse'];

const membersKey = (workspaceId: string) => [...workspaceKey(workspaceId), 'members'];

export const membersQuery = (api: MemoApi, workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: membersKey(workspaceId),
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/v1/workspaces/{workspace_id}/members', {
          signal,
          params: { path: { workspace_id: workspaceId }, query: pageAfter(pageParam) },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });

export function useChangeRole(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ userId, role }: { userId: string; role: Role }) =>
      bodyOf(
        api.PATCH('/v1/workspaces/{workspace_id}/members/{user_id}', {
          params: { path: { workspace_id: workspaceId, user_id: userId } },
          body: { role },
        }),
      ),
    // An admin who gives the own role up sees other pages from then on.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workspaceKey(workspaceId) }),
  });
}

export function useRemoveMember(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return async (userId: string) => {
    await api.DELETE('/v1/workspaces/{workspace_id}/members/{user_id}', {
      params: { path: { workspace_id: workspaceId, user_id: userId } },
    });
    await queryClient.invalidateQueries({ queryKey: membersKey(workspaceId) });
  };
}
