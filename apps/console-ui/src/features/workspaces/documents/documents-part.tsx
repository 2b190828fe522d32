import { Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMemoApi } from '../../../api/service-apis';
import { EmptyState } from '../../../components/empty-state';
import { QueryState } from '../../../components/query-state';
import { ConfirmDialog } from '../dialogs/confirm-dialog';
import { PassageDialog } from '../passages/passage-dialog';
import { hasRole } from '../roles';
import { useWorkspaceTexts } from '../texts/workspace-texts';
import { useWorkspace } from '../workspace-context';
import { documentsQuery, type MemoDocument, useDeleteDocument } from './document-queries';
import { DocumentTable } from './document-table';
import { UploadArea } from './uploads/upload-area';
import { UploadList } from './uploads/upload-list';

/** The documents of a workspace, and uploads. */
export function DocumentsPart() {
  const t = useWorkspaceTexts();
  const { workspace, uploads } = useWorkspace();
  const query = useInfiniteQuery(documentsQuery(useMemoApi(), workspace.id));
  const deleteDocument = useDeleteDocument(workspace.id);
  const [opened, setOpened] = useState<MemoDocument>();
  const [deleted, setDeleted] = useState<MemoDocument>();
  const mayEdit = hasRole(workspace.role, 'editor');
  return (
    <Stack gap="md">
      {mayEdit && <UploadArea />}
      <UploadList />
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages[0]?.documents.length === 0}
        empty={
          <EmptyState title={t('documents.empty')}>
            {t(mayEdit ? 'documents.empty.text' : 'documents.empty.viewer')}
          </EmptyState>
        }
      >
        {({ pages }) => (
          <DocumentTable
            documents={pages.flatMap(({ documents }) => documents)}
            mayEdit={mayEdit}
            onRead={setOpened}
            onReplace={({ id }, file) => uploads.add([file], id)}
            onDelete={setDeleted}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
      {opened && (
        <PassageDialog
          workspaceId={workspace.id}
          source={{ documentId: opened.id, title: opened.title }}
          onClose={() => setOpened(undefined)}
        />
      )}
      {deleted && (
        <ConfirmDialog
          title={t('document.delete.title', { title: deleted.title })}
          text={t('document.delete.text')}
          confirmText={t('delete')}
          action={() => deleteDocument(deleted.id)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </Stack>
  );
}
