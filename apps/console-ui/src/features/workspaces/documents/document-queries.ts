import { infiniteQueryOptions, useQueryClient } from '@tanstack/react-query';
import { bodyOf } from '../../../api/console-api';
import { type MemoApi, type MemoSchemas, useMemoApi } from '../../../api/service-apis';
import { pageAfter, workspaceKey } from '../workspace-queries';

export type MemoDocument = MemoSchemas['DocumentResponse'];

const POLL_MILLIS = 1_500;

const isBeingRead = ({ status }: { status: MemoDocument['status'] }) =>
  status === 'queued' || status === 'processing';

/** The documents of a workspace, asked for again while one of them is being read. */
export const documentsQuery = (api: MemoApi, workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: [...workspaceKey(workspaceId), 'documents'],
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/v1/workspaces/{workspace_id}/documents', {
          signal,
          params: { path: { workspace_id: workspaceId }, query: pageAfter(pageParam) },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ documents }) => documents.some(isBeingRead)) ? POLL_MILLIS : false,
  });

export function useDeleteDocument(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return async (documentId: string) => {
    await api.DELETE('/v1/workspaces/{workspace_id}/documents/{document_id}', {
      params: { path: { workspace_id: workspaceId, document_id: documentId } },
    });
    await queryClient.invalidateQueries({ queryKey: workspaceKey(workspaceId) });
  };
}
