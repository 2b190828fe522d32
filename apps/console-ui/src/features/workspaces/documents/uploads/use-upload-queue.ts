import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { runActivity } from '../../../../activities/activity-store';
import { sendFile } from '../../../../api/send-file';
import { type Session } from '../../../../session/session';
import { useSession } from '../../../../session/session-context';
import { useSite } from '../../../../site/site';
import { workspaceKey } from '../../workspace-queries';
import { UploadQueue } from './upload-queue';

interface Target {
  session: Session;
  queryClient: QueryClient;
  /** Address of the memo service. */
  memoUrl: string;
  workspaceId: string;
}

const queues = new Map<string, UploadQueue>();

/** The uploads to a workspace. They go on while other pages are open, until they are done or the account is signed out. */
export function useUploadQueue(workspaceId: string): UploadQueue {
  const session = useSession();
  const queryClient = useQueryClient();
  const { urls } = useSite();
  let queue = queues.get(workspaceId);
  if (!queue) {
    queue = newQueue({ session, queryClient, memoUrl: urls.memo, workspaceId });
    queues.set(workspaceId, queue);
    endAtSignOut(session, workspaceId, queue);
  }
  return queue;
}

function newQueue({ session, queryClient, memoUrl, workspaceId }: Target): UploadQueue {
  const documents = `${memoUrl}/v1/workspaces/${workspaceId}/documents`;
  return new UploadQueue(async ({ file, documentId }, { signal, onProgress }) => {
    const body = new FormData();
    body.append('file', file);
    const target =
      documentId === undefined
        ? { method: 'POST' as const, url: documents }
        : { method: 'PUT' as const, url: `${documents}/${documentId}` };
    await runActivity({ kind: 'upload', title: file.name, to: `/workspaces/${workspaceId}` }, (onShare) =>
      sendFile(
        session,
        { ...target, body },
        {
          signal,
          onProgress: (bytes) => {
            onProgress(bytes);
            // The form around the file is some bytes longer.
            onShare(Math.min(1, bytes / Math.max(file.size, 1)));
          },
        },
      ),
    );
    await queryClient.invalidateQueries({ queryKey: workspaceKey(workspaceId) });
  });
}

function endAtSignOut(session: Session, workspaceId: string, queue: UploadQueue): void {
  const stop = session.subscribe(() => {
    if (session.getState().status !== 'signed-out') return;
    stop();
    queue.cancelAll();
    queues.delete(workspaceId);
  });
}
