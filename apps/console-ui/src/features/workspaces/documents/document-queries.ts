import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { toApiError } from '../../../api/api-error';
import { authorizedFetch } from '../../../api/authorized-fetch';
import { bodyOf } from '../../../api/console-api';
import { type MemoApi, type MemoSchemas, useMemoApi } from '../../../api/service-apis';
import { Figure } from '../../../figures/figure';
import { type Session } from '../../../api/session';
import { pageAfter, workspaceKey } from '../workspace-queries';

export type MemoDocument = MemoSchemas['DocumentResponse'];

const POLL_MILLIS = 1_500;

const isBeingRead = ({ status }: { status: MemoDocument['status'] }) =>
  status === 'queued' || status === 'processing';

/** The documents of a workspace whose title contains a text, asked for again while one of them is being read. */
export const documentsQuery = (api: MemoApi, workspaceId: string, title: string) =>
  infiniteQueryOptions({
    queryKey: [...workspaceKey(workspaceId), 'documents', title],
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/v1/workspaces/{workspace_id}/documents', {
          signal,
          params: {
            path: { workspace_id: workspaceId },
            query: { ...pageAfter(pageParam), ...(title !== '' && { title }) },
          },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ documents }) => documents.some(isBeingRead)) ? POLL_MILLIS : false,
  });

export const documentQuery = (api: MemoApi, workspaceId: string, documentId: string) =>
  queryOptions({
    queryKey: [...workspaceKey(workspaceId), 'document', documentId],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/v1/workspaces/{workspace_id}/documents/{document_id}', {
          signal,
          params: { path: { workspace_id: workspaceId, document_id: documentId } },
        }),
      ),
    // A version may be replaced at any time.
    staleTime: 0,
  });

/** Deletions that are sent at once. Each takes the same locks of the workspace, so more would only wait. */
const DELETIONS_AT_ONCE = 4;

/** Some of several documents are still there. */
export class PartialDeletionError extends Error {
  override readonly name = 'PartialDeletionError';

  constructor(
    readonly remaining: MemoDocument[],
    override readonly cause: unknown,
  ) {
    super('Some documents could not be deleted.');
  }
}

/** Deletes documents. Throws a PartialDeletionError with those that are still there. */
export function useDeleteDocuments(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return async (documents: MemoDocument[]) => {
    const waiting = [...documents];
    const remaining: MemoDocument[] = [];
    let cause: unknown;
    const deleteNext = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        try {
          await api.DELETE('/v1/workspaces/{workspace_id}/documents/{document_id}', {
            params: { path: { workspace_id: workspaceId, document_id: next.id } },
          });
        } catch (error) {
          // What somebody else has deleted meanwhile is gone as well.
          if (toApiError(error).status === 404) continue;
          remaining.push(next);
          cause = error;
        }
    };
    await Promise.all(Array.from({ length: DELETIONS_AT_ONCE }, deleteNext));
    await queryClient.invalidateQueries({ queryKey: workspaceKey(workspaceId) });
    if (remaining.length > 0) throw new PartialDeletionError(remaining, cause);
  };
}

/** Lets a document be read again that has failed. */
export function useRetryDocument(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: MemoDocument) =>
      bodyOf(
        api.POST('/v1/workspaces/{workspace_id}/documents/{document_id}/retry', {
          params: { path: { workspace_id: workspaceId, document_id: id } },
        }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: workspaceKey(workspaceId) }),
  });
}

/** How far a document is read, in whole percent; null until it is known. Below 100 until all is read. */
export function percentOf({ processed, total }: { processed: Figure; total: Figure | null }): number | null {
  if (total === null || total.isZero) return null;
  const share = processed.toScreenNumber() / total.toScreenNumber();
  return Math.max(0, Math.min(99, Math.floor(share * 100)));
}

/** A place in a text, in UTF-16 units. */
export interface Span {
  start: number;
  end: number;
}

interface TextAround {
  before: string;
  marked: string;
  after: string;
  /** Whether more of the text is left out before or after. */
  isCut: boolean;
}

/** The marked place of a text with so many characters on either side. A place outside of the text marks nothing. */
export function textAround(text: string, { start, end }: Span, margin: number): TextAround {
  const from = Math.max(0, start - margin);
  const to = Math.min(text.length, end + margin);
  return {
    before: text.slice(from, start),
    marked: text.slice(start, end),
    after: text.slice(end, to),
    isCut: from > 0 || to < text.length,
  };
}

interface Place {
  memoUrl: string;
  workspaceId: string;
  documentId: string;
}

/** The file of that version, if it is stored. */
export const documentFileQuery = (session: Session, { memoUrl, workspaceId, documentId }: Place) =>
  queryOptions({
    queryKey: [...workspaceKey(workspaceId), 'file', documentId],
    queryFn: async ({ signal }) => {
      const url = `${memoUrl}/v1/workspaces/${workspaceId}/documents/${documentId}/file`;
      return (await authorizedFetch(session, url, { signal })).arrayBuffer();
    },
    // Shown from one copy: another one would open the file anew.
    staleTime: Infinity,
    gcTime: 0,
  });

/** The stored text of the version of a document that answers come from. */
export const documentTextQuery = (session: Session, { memoUrl, workspaceId, documentId }: Place) =>
  queryOptions({
    queryKey: [...workspaceKey(workspaceId), 'text', documentId],
    queryFn: async ({ signal }) => {
      const url = `${memoUrl}/v1/workspaces/${workspaceId}/documents/${documentId}/text`;
      const response = await authorizedFetch(session, url, { signal });
      // `text()` would leave a mark at the beginning out, and all places would be wrong by one.
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
      return { text, version: Figure.of(response.headers.get('X-Document-Version') ?? '0') };
    },
    // A version may be replaced at any time, and texts are large.
    staleTime: 0,
    gcTime: 0,
  });
