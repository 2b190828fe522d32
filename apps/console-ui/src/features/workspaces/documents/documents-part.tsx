import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Search, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { toApiError } from '../../../api/api-error';
import { useMemoApi } from '../../../api/service-apis';
import { ConfirmDialog } from '../../../components/dialogs';
import { EmptyState } from '../../../components/empty-state';
import { ErrorNotice } from '../../../components/error-notice';
import { QueryState } from '../../../components/query-state';
import { useWorkspace } from '../workspace-context';
import { hasRole, optionsQuery } from '../workspace-queries';
import { useWorkspaceTexts } from '../workspace-texts';
import {
  documentsQuery,
  type MemoDocument,
  PartialDeletionError,
  useDeleteDocuments,
  useRetryDocument,
} from './document-queries';
import { DocumentTable } from './document-table';
import { PassageDialog } from './passage-dialog';
import { acceptedNames, isTooLarge, tooLarge, UploadArea, UploadList } from './uploads';

/** Typing pauses this long before the titles are searched. */
const SEARCH_DELAY_MILLIS = 250;
const MOST_CHARACTERS = 500;

/** The documents of a workspace, and uploads. */
export function DocumentsPart() {
  const t = useWorkspaceTexts();
  const api = useMemoApi();
  const { workspace, uploads } = useWorkspace();
  const [typed, setTyped] = useState('');
  const [title] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MILLIS);
  const query = useInfiniteQuery({
    ...documentsQuery(api, workspace.id, title),
    placeholderData: keepPreviousData,
  });
  const options = useQuery(optionsQuery(api, workspace.id)).data;
  const retry = useRetryDocument(workspace.id);
  const [opened, setOpened] = useState<MemoDocument>();
  const [selected, setSelected] = useState<ReadonlyMap<string, MemoDocument>>(new Map());
  const [deleted, setDeleted] = useState<MemoDocument[]>();
  const mayEdit = hasRole(workspace.role, 'editor');
  const documents = query.data?.pages.flatMap((page) => page.documents) ?? [];
  const select = (changed: MemoDocument[], isSelected: boolean) => {
    const next = new Map(selected);
    for (const document of changed)
      if (isSelected) next.set(document.id, document);
      else next.delete(document.id);
    setSelected(next);
  };
  const replace = ({ id }: MemoDocument, file: File) =>
    isTooLarge(file, options) ? uploads.refuse([file], tooLarge()) : uploads.add([file], id);
  const isSearching = title !== '';
  return (
    <Stack gap="md">
      {mayEdit && <UploadArea options={options} />}
      <UploadList options={options} />
      {retry.error && (
        <ErrorNotice
          error={retry.error}
          {...(toApiError(retry.error).status === 409 && { message: t('document.retry.gone') })}
        />
      )}
      {(documents.length > 0 || typed !== '') && (
        <Group justify="space-between" gap="sm">
          <TextInput
            type="search"
            aria-label={t('documents.search')}
            placeholder={t('documents.search')}
            leftSection={<Search size={16} />}
            maxLength={MOST_CHARACTERS}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {mayEdit && documents.length > 0 && (
            <Selection
              documents={documents}
              selected={selected}
              onSelect={select}
              onDelete={() => setDeleted([...selected.values()])}
            />
          )}
        </Group>
      )}
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages[0]?.documents.length === 0}
        empty={
          <EmptyState title={t(isSearching ? 'documents.search.none' : 'documents.empty')}>
            {!isSearching && t(mayEdit ? 'documents.empty.text' : 'documents.empty.viewer')}
          </EmptyState>
        }
      >
        {() => (
          <DocumentTable
            documents={documents}
            mayEdit={mayEdit}
            accept={acceptedNames(options)}
            selected={new Set(selected.keys())}
            onSelect={(document, isSelected) => select([document], isSelected)}
            retried={retry.isPending ? retry.variables.id : undefined}
            onRetry={(document) => retry.mutate(document)}
            onRead={setOpened}
            onReplace={replace}
            onDelete={(document) => setDeleted([document])}
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
        <DeletionDialog
          workspaceId={workspace.id}
          documents={deleted}
          onDeleted={(gone) => select(gone, false)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </Stack>
  );
}

interface SelectionProps {
  documents: MemoDocument[];
  selected: ReadonlyMap<string, MemoDocument>;
  onSelect: (documents: MemoDocument[], isSelected: boolean) => void;
  onDelete: () => void;
}

/** Selects all documents in sight, and deletes the selected ones. */
function Selection({ documents, selected, onSelect, onDelete }: SelectionProps) {
  const t = useWorkspaceTexts();
  const isAll = documents.every(({ id }) => selected.has(id));
  return (
    <Group gap="sm">
      <Checkbox
        label={
          selected.size > 0 ? t('documents.selected', { count: selected.size }) : t('documents.selectAll')
        }
        aria-label={t('documents.selectAll')}
        checked={isAll}
        indeterminate={!isAll && selected.size > 0}
        onChange={() => onSelect(documents, !isAll)}
      />
      {selected.size > 0 && (
        <Button size="xs" variant="light" color="red" leftSection={<Trash2 size={14} />} onClick={onDelete}>
          {t('documents.delete', { count: selected.size })}
        </Button>
      )}
    </Group>
  );
}

interface DeletionProps {
  workspaceId: string;
  documents: MemoDocument[];
  onDeleted: (documents: MemoDocument[]) => void;
  onClose: () => void;
}

/** Titles that fit into a message. */
const SHOWN_TITLES = 5;

/** Asks before documents are deleted, and names those that could not be. A second attempt is for these only. */
function DeletionDialog({ workspaceId, documents, onDeleted, onClose }: DeletionProps) {
  const t = useWorkspaceTexts();
  const deletion = useMutation({ mutationFn: useDeleteDocuments(workspaceId) });
  const failure = deletion.error instanceof PartialDeletionError ? deletion.error : undefined;
  const due = failure?.remaining ?? documents;
  const [only] = documents;
  const confirm = () =>
    deletion.mutate(due, {
      onSuccess: () => {
        onDeleted(due);
        onClose();
      },
      onError: (error) => {
        if (!(error instanceof PartialDeletionError)) return;
        onDeleted(due.filter((document) => !error.remaining.includes(document)));
      },
    });
  const titles = due
    .slice(0, SHOWN_TITLES)
    .map(({ title }) => title)
    .join(', ');
  return (
    <ConfirmDialog
      title={
        documents.length === 1 && only
          ? t('document.delete.title', { title: only.title })
          : t('documents.delete.title', { count: due.length })
      }
      text={t('document.delete.text')}
      confirmText={documents.length === 1 ? t('delete') : t('documents.delete', { count: due.length })}
      doing={{ error: failure ? toApiError(failure.cause) : deletion.error, isPending: deletion.isPending }}
      errorText={
        failure &&
        t('documents.delete.failed', {
          count: due.length,
          titles: due.length > SHOWN_TITLES ? `${titles} …` : titles,
        })
      }
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
