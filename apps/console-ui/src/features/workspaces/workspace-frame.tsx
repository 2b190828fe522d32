import { Anchor, Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useMemoApi } from '../../api/service-apis';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { useSession } from '../../session/session-context';
import { useSite } from '../../site/site';
import { ConfirmDialog } from './dialogs/confirm-dialog';
import { NameDialog } from './dialogs/name-dialog';
import { sendFile } from './documents/uploads/send-file';
import { UploadQueue } from './documents/uploads/upload-queue';
import { hasRole } from './roles';
import { useWorkspaceTexts } from './texts/workspace-texts';
import { WorkspaceProvider } from './workspace-context';
import {
  useDeleteWorkspace,
  useRenameWorkspace,
  type Workspace,
  workspaceKey,
  workspaceQuery,
} from './workspace-queries';
import classes from './workspaces.module.css';

const PARTS = [
  { to: '/workspaces/$id', text: 'documents' },
  { to: '/workspaces/$id/ask', text: 'ask' },
  { to: '/workspaces/$id/members', text: 'members' },
  { to: '/workspaces/$id/keys', text: 'keys' },
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
        <Anchor component={Link} to="/workspaces">
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
      <Group component="nav" aria-label={t('workspace')} gap={4} className={classes.parts}>
        {PARTS.map(({ to, text }) => (
          <Link
            key={to}
            to={to}
            params={{ id: workspace.id }}
            className={classes.part!}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {t(text)}
          </Link>
        ))}
      </Group>
      <Outlet />
    </WorkspaceProvider>
  );
}

/** Uploads that end with the workspace's pages. */
function useUploadQueue(workspaceId: string): UploadQueue {
  const session = useSession();
  const { urls } = useSite();
  const queryClient = useQueryClient();
  const [queue] = useState(
    () =>
      new UploadQueue(async ({ file, documentId }, call) => {
        const documents = `${urls.memo}/v1/workspaces/${workspaceId}/documents`;
        await sendFile(
          session,
          documentId === undefined
            ? { method: 'POST', url: documents, file }
            : { method: 'PUT', url: `${documents}/${documentId}`, file },
          call,
        );
        await queryClient.invalidateQueries({ queryKey: workspaceKey(workspaceId) });
      }),
  );
  useEffect(() => () => queue.cancelAll(), [queue]);
  return queue;
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
        <ConfirmDialog
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
