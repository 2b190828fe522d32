import { queryOptions } from '@tanstack/react-query';
import { authorizedFetch } from '../../../api/authorized-fetch';
import { Figure } from '../../../figures/figure';
import { type Session } from '../../../session/session';
import { workspaceKey } from '../workspace-queries';

interface Place {
  memoUrl: string;
  workspaceId: string;
  documentId: string;
}

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
