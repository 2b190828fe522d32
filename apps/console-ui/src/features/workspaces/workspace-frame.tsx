import { Anchor, Button } from '@mantine/core';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { runActivity } from '../../activities/activity-store';
import { sendFile } from '../../api/send-file';
import { useMemoApi } from '../../api/service-apis';
import { type Session, useSession } from '../../api/session';
import { useSite } from '../../api/site';
import { Page } from '../../components/page';
import { PartLinks } from '../../components/part-links';
import { QueryState } from '../../components/query-state';
import { ActionDialog, NameDialog } from './dialogs';
import { UploadQueue } from './documents/upload-queue';
import { WorkspaceProvider } from './workspace-context';
import {
  hasRole,
  useDeleteWorkspace,
  useRenameWorkspace,
  type Workspace,
  workspaceKey,
  workspaceQuery,
} from './workspace-queries';
import { useWorkspaceTexts } from './workspace-texts';

interface Target {
  session: Session;
  queryClient: QueryClient;
  /** Address of the memo service. */
  memoUrl: string;
  workspaceId: string;
}

const queues = new Map<string, UploadQueue>();

/** The uploads to a workspace. They go on while other pages are open, until they are done or the account is signed out. */
function useUploadQueue(workspaceId: string): UploadQueue {
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

const PARTS = [
  { to: '/workspaces/$id', text: 'documents' },
  { to: '/workspaces/$id/ask', text: 'ask' },
  { to: '/workspaces/$id/members', text: 'members' },
  { to: '/workspaces/$id/keys', text: 'keys' },
  { to: '/workspaces/$id/feedback', text: 'feedback', role: 'admin' },
] as const;

/** Frame of the pages of a workspace: its name, what may be done with it, and links to its parts. */
export function WorkspaceFrame() {
  const t = useWorkspaceTexts();
  const { id } = useParams({ from: '/console/workspaces/$id' });
  const query = useQuery(workspaceQuery(useMemoApi(), id));
  return (
    <Page
      title={query.data?.name ?? t('workspace')}
      description={
        <Anchor component={Link} to="/workspaces" inherit>
          {t('back')}
        </Anchor>
      }
      actions={query.data && hasRole(query.data.role, 'admin') && <Actions workspace={query.data} />}
    >
      <QueryState query={query}>{(workspace) => <Parts key={id} workspace={workspace} />}</QueryState>
    </Page>
  );
}

function Parts({ workspace }: { workspace: Workspace }) {
  const t = useWorkspaceTexts();
  const uploads = useUploadQueue(workspace.id);
  return (
    <WorkspaceProvider value={{ workspace, uploads }}>
      <PartLinks label={t('workspace')}>
        {PARTS.filter((part) => !('role' in part) || hasRole(workspace.role, part.role)).map(
          ({ to, text }) => (
            <Link
              key={to}
              to={to}
              params={{ id: workspace.id }}
              activeOptions={{ exact: true, includeSearch: false }}
            >
              {t(text)}
            </Link>
          ),
        )}
      </PartLinks>
      <Outlet />
    </WorkspaceProvider>
  );
}

function Actions({ workspace }: { workspace: Workspace }) {
  const t = useWorkspaceTexts();
  const navigate = useNavigate();
  const { id, name } = workspace;
  const renaming = useRenameWorkspace(id);
  const deleteWorkspace = useDeleteWorkspace(id);
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const close = () => setDialog(undefined);
  return (
    <>
      <Button variant="default" leftSection={<Pencil size={16} />} onClick={() => setDialog('rename')}>
        {t('rename')}
      </Button>
      <Button variant="default" leftSection={<Trash2 size={16} />} onClick={() => setDialog('delete')}>
        {t('delete')}
      </Button>
      {dialog === 'rename' && (
        <NameDialog
          title={t('rename.title', { name })}
          submitText={t('save')}
          name={name}
          save={renaming}
          onSaved={close}
          onClose={close}
        />
      )}
      {dialog === 'delete' && (
        <ActionDialog
          title={t('delete.title', { name })}
          text={t('delete.text')}
          confirmText={t('delete')}
          action={deleteWorkspace}
          onDone={() => void navigate({ to: '/workspaces' })}
          onClose={close}
        />
      )}
    </>
  );
}
