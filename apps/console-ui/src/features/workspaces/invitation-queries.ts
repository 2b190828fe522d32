import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf } from '../../api/console-api';
import { type MemoApi, type MemoSchemas, useMemoApi } from '../../api/service-apis';
import { pageAfter, type Role, WORKSPACE_LIST, workspaceKey } from './workspace-queries';

export type Invitation = MemoSchemas['InvitationResponse'];
export type ReceivedInvitation = MemoSchemas['ReceivedInvitationResponse'];

const RECEIVED = ['workspaces', 'invitations'];
const invitationsKey = (workspaceId: string) => [...workspaceKey(workspaceId), 'invitations'];

/** The open invitations of a workspace, for its admins. */
export const invitationsQuery = (api: MemoApi, workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: invitationsKey(workspaceId),
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/v1/workspaces/{workspace_id}/invitations', {
          signal,
          params: { path: { workspace_id: workspaceId }, query: pageAfter(pageParam) },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });

/** The open invitations of the signed-in person. */
export const receivedInvitationsQuery = (api: MemoApi) =>
  infiniteQueryOptions({
    queryKey: RECEIVED,
    queryFn: ({ signal, pageParam }) =>
      bodyOf(api.GET('/v1/invitations', { signal, params: { query: pageAfter(pageParam) } })),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });

export function useInvite(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: { email: string; role: Role }) =>
      bodyOf(
        api.POST('/v1/workspaces/{workspace_id}/invitations', {
          params: { path: { workspace_id: workspaceId } },
          body,
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: invitationsKey(workspaceId) }),
  });
}

export function useRevokeInvitation(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return async (id: string) => {
    await api.DELETE('/v1/workspaces/{workspace_id}/invitations/{invitation_id}', {
      params: { path: { workspace_id: workspaceId, invitation_id: id } },
    });
    await queryClient.invalidateQueries({ queryKey: invitationsKey(workspaceId) });
  };
}

export function useAcceptInvitation() {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      bodyOf(api.POST('/v1/invitations/{invitation_id}/accept', { params: { path: { invitation_id: id } } })),
    // After a refusal the list no longer has an invitation that has ended.
    onSettled: () =>
      Promise.all([RECEIVED, WORKSPACE_LIST].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}

export function useDeclineInvitation() {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return async (id: string) => {
    await api.DELETE('/v1/invitations/{invitation_id}', { params: { path: { invitation_id: id } } });
    await queryClient.invalidateQueries({ queryKey: RECEIVED });
  };
}
