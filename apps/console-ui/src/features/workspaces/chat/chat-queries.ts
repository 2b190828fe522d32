import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf } from '../../../api/console-api';
import { type MemoApi, type MemoSchemas, useMemoApi } from '../../../api/service-apis';
import { pageAfter, workspaceKey } from '../workspace-queries';

export type ChatMessage = MemoSchemas['MessageResponse'];
export type Citation = MemoSchemas['CitationResponse'];
export type Conversation = MemoSchemas['ConversationResponse'];
export type AnswerPassage = MemoSchemas['AnswerPassageResponse'];

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

/** The answer of a conversation whose passages are shown, and its question. */
export interface ShownAnswer {
  conversationId: string;
  messageId: string;
  question: string;
}

/** The passages from which an answer was written, by number. */
export const passagesQuery = (
  api: MemoApi,
  workspaceId: string,
  { conversationId, messageId }: ShownAnswer,
) =>
  queryOptions({
    queryKey: [...workspaceKey(workspaceId), 'passages', messageId],
    queryFn: async ({ signal }) =>
      (
        await bodyOf(
          api.GET(
            '/v1/workspaces/{workspace_id}/conversations/{conversation_id}/messages/{message_id}/passages',
            {
              signal,
              params: {
                path: {
                  workspace_id: workspaceId,
                  conversation_id: conversationId,
                  message_id: messageId,
                },
              },
            },
          ),
        )
      ).passages,
  });

/** What the newest documents are about. */
export const topicsQuery = (api: MemoApi, workspaceId: string) =>
  queryOptions({
    queryKey: [...workspaceKey(workspaceId), 'topics'],
    queryFn: async ({ signal }) =>
      (
        await bodyOf(
          api.GET('/v1/workspaces/{workspace_id}/topics', {
            signal,
            params: { path: { workspace_id: workspaceId } },
          }),
        )
      ).topics,
  });

/** Documents that a question can be restricted to, by a part of their title. */
export const choiceQuery = (api: MemoApi, workspaceId: string, title: string) =>
  queryOptions({
    queryKey: [...workspaceKey(workspaceId), 'choice', title],
    queryFn: async ({ signal }) =>
      (
        await bodyOf(
          api.GET('/v1/workspaces/{workspace_id}/documents', {
            signal,
            params: { path: { workspace_id: workspaceId }, query: title === '' ? {} : { title } },
          }),
        )
      ).documents.filter(({ serving_version: serving }) => serving !== null),
  });

export type Feedback = MemoSchemas['FeedbackDto'];

interface AnswerKey {
  conversationId: string;
  messageId: string;
}

/** Stores the feedback on an answer; null withdraws it. */
export function useFeedback(workspaceId: string, { conversationId, messageId }: AnswerKey) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  const params = {
    path: { workspace_id: workspaceId, conversation_id: conversationId, message_id: messageId },
  };
  const path = '/v1/workspaces/{workspace_id}/conversations/{conversation_id}/messages/{message_id}/feedback';
  return useMutation({
    mutationFn: async (feedback: Feedback | null): Promise<void> => {
      if (feedback) await api.PUT(path, { params, body: feedback });
      else await api.DELETE(path, { params });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: messagesKey(workspaceId, conversationId) });
      await queryClient.invalidateQueries({ queryKey: feedbackKey(workspaceId) });
    },
  });
}

export type AnswerFeedback = MemoSchemas['AnswerFeedbackResponse'];

const feedbackKey = (workspaceId: string) => [...workspaceKey(workspaceId), 'feedback'];

export const feedbackQuery = (api: MemoApi, workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: feedbackKey(workspaceId),
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/v1/workspaces/{workspace_id}/feedback', {
          signal,
          params: { path: { workspace_id: workspaceId }, query: pageAfter(pageParam) },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });

/** An answer with what it cites, as it is copied. */
export function copiedAnswer(content: string, citations: Citation[], heading: string): string {
  const sources = citations.map(
    ({ number, title, snippet }) => `[${number.toString()}] ${title}: “${snippet}”`,
  );
  return sources.length === 0 ? content : [content, '', heading, ...sources].join('\n');
}

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

/** A piece of an answer: words, or the marker of a citation. */
type AnswerPart = { text: string } | { citation: Citation };

/** Takes an answer apart at the markers of its citations. A number in brackets that cites nothing stays text. */
export function answerParts(content: string, citations: Citation[]): AnswerPart[] {
  const byNumber = new Map(citations.map((citation) => [citation.number.toString(), citation]));
  const parts: AnswerPart[] = [];
  let done = 0;
  for (const match of content.matchAll(/\[(\d+)\]/g)) {
    const citation = byNumber.get(match[1]!);
    if (!citation) continue;
    if (match.index > done) parts.push({ text: content.slice(done, match.index) });
    parts.push({ citation });
    done = match.index + match[0].length;
  }
  if (done < content.length) parts.push({ text: content.slice(done) });
  return parts;
}
