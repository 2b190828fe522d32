import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useMemoApi } from '../../api/service-apis';
import { Page } from '../../components/page';
import { PartLinks } from '../../components/part-links';
import { QueryState } from '../../components/query-state';
import { ConfirmDialog } from './dialogs/confirm-dialog';
import { NameDialog } from './dialogs/name-dialog';
import { useUploadQueue } from './documents/uploads/use-upload-queue';
import { hasRole } from './roles';
import { useWorkspaceTexts } from './texts/workspace-texts';
import { WorkspaceProvider } from './workspace-context';
import { useDeleteWorkspace, useRenameWorkspace, type Workspace, workspaceQuery } from './workspace-queries';

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
        {PARTS.map(({ to, text }) => (
          <Link
            key={to}
            to={to}
            params={{ id: workspace.id }}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {t(text)}
          </Link>
        ))}
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
