import { infiniteQueryOptions, queryOptions, useQueryClient } from '@tanstack/react-query';
import { bodyOf } from '../../../api/console-api';
import { type MemoApi, type MemoSchemas, useMemoApi } from '../../../api/service-apis';
import { pageAfter, workspaceKey } from '../workspace-queries';

export type ChatMessage = MemoSchemas['MessageResponse'];
export type Citation = MemoSchemas['CitationResponse'];
export type Conversation = MemoSchemas['ConversationResponse'];
export type FoundPassage = MemoSchemas['SearchResultResponse'];

const MESSAGES_A_PAGE = 100;

export const conversationsKey = (workspaceId: string) => [...workspaceKey(workspaceId), 'conversations'];
const messagesKey = (workspaceId: string, id: string) => [...workspaceKey(workspaceId), 'messages', id];

export const conversationsQuery = (api: MemoApi, workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: conversationsKey(workspaceId),
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/v1/workspaces/{workspace_id}/conversations', {
          signal,
          params: { path: { workspace_id: workspaceId }, query: pageAfter(pageParam) },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });

async function readMessages(api: MemoApi, workspaceId: string, id: string, signal: AbortSignal) {
  const messages: ChatMessage[] = [];
  for (let after = 0; ; after += MESSAGES_A_PAGE) {
    const page = await bodyOf(
      api.GET('/v1/workspaces/{workspace_id}/conversations/{conversation_id}', {
        signal,
        params: {
          path: { workspace_id: workspaceId, conversation_id: id },
          query: { limit: MESSAGES_A_PAGE, ...(after > 0 && { after }) },
        },
      }),
    );
    messages.push(...page.messages);
    if (!page.has_more) return messages;
  }
}

/** All messages of a conversation, oldest first; their numbers have no gaps. None without an id: a new conversation. */
export const messagesQuery = (api: MemoApi, workspaceId: string, id: string | undefined) =>
  queryOptions({
    queryKey: messagesKey(workspaceId, id ?? ''),
    queryFn: ({ signal }): Promise<ChatMessage[]> | ChatMessage[] =>
      id === undefined ? [] : readMessages(api, workspaceId, id, signal),
  });

/** What the search finds for a question by itself, best first. */
export const passagesQuery = (api: MemoApi, workspaceId: string, query: string) =>
  queryOptions({
    queryKey: [...workspaceKey(workspaceId), 'passages', query],
    queryFn: async ({ signal }) =>
      (
        await bodyOf(
          api.POST('/v1/workspaces/{workspace_id}/search', {
            signal,
            params: { path: { workspace_id: workspaceId } },
            body: { query },
          }),
        )
      ).results,
    // A search may cost something.
    staleTime: Infinity,
    retry: false,
  });

export function useDeleteConversation(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return async (id: string) => {
    await api.DELETE('/v1/workspaces/{workspace_id}/conversations/{conversation_id}', {
      params: { path: { workspace_id: workspaceId, conversation_id: id } },
    });
    await queryClient.invalidateQueries({ queryKey: conversationsKey(workspaceId) });
  };
}
