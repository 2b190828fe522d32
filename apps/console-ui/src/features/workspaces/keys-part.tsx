import {
  ActionIcon,
  Alert,
  Button,
  Checkbox,
  Code,
  Group,
  Modal,
  Select,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { bodyOf } from '../../api/console-api';
import { type MemoApi, type MemoSchemas, useMemoApi } from '../../api/service-apis';
import { type CodeSample, CodeSamples } from '../../components/code-samples';
import { CopyButton } from '../../components/copy-button';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { ListPages, ListTools, NothingFound } from '../../components/list-tools';
import { type ListView, rowsOfPage } from '../../components/list-view';
import { MiddleCut } from '../../components/middle-cut';
import { QueryState } from '../../components/query-state';
import { useSite } from '../../api/site';
import { Time } from '../../time/time';
import { ActionDialog, RoleHint, useRoleOptions } from './dialogs';
import { useWorkspace } from './workspace-context';
import { pageAfter, type Role, workspaceKey } from './workspace-queries';
import { useWorkspaceTexts } from './workspace-texts';
import { WORKSPACE_KEY_ORDERS, type WorkspaceKeyOrder } from './workspace-search';
import { chosenWorkspaceKeys, type WorkspaceKey } from './workspace-view';
import classes from './workspaces.module.css';

type CreatedWorkspaceKey = MemoSchemas['CreatedKeyResponse'];

const keysKey = (workspaceId: string) => [...workspaceKey(workspaceId), 'keys'];

/** All keys that the person may see, so that they are searched and sorted here; each member has a hundred at most. */
const workspaceKeysQuery = (api: MemoApi, workspaceId: string) =>
  queryOptions({
    queryKey: keysKey(workspaceId),
    queryFn: async ({ signal }) => {
      const keys: WorkspaceKey[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: MemoSchemas['KeyListResponse'] = await bodyOf(
          api.GET('/v1/workspaces/{workspace_id}/keys', {
            signal,
            params: { path: { workspace_id: workspaceId }, query: pageAfter(cursor) },
          }),
        );
        keys.push(...page.keys);
        cursor = page.next_cursor;
      }
      return keys;
    },
  });

function useCreateWorkspaceKey(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: MemoSchemas['CreateKeyDto']) =>
      bodyOf(
        api.POST('/v1/workspaces/{workspace_id}/keys', {
          params: { path: { workspace_id: workspaceId } },
          body,
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysKey(workspaceId) }),
    // The answer holds the secret: no cache keeps it.
    gcTime: 0,
  });
}

function useDeleteWorkspaceKey(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return async (keyId: string) => {
    await api.DELETE('/v1/workspaces/{workspace_id}/keys/{key_id}', {
      params: { path: { workspace_id: workspaceId, key_id: keyId } },
    });
    await queryClient.invalidateQueries({ queryKey: keysKey(workspaceId) });
  };
}

const MOST_CHARACTERS = 100;

interface Props {
  onCreated: (created: CreatedWorkspaceKey) => void;
  onCancel: () => void;
}

function KeyForm({ onCreated, onCancel }: Props) {
  const t = useWorkspaceTexts();
  const { workspace } = useWorkspace();
  const creation = useCreateWorkspaceKey(workspace.id);
  const roles = useRoleOptions(workspace.role);
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: { name: '', role: 'viewer' as Role },
    validate: { name: (value) => (value.trim() ? null : t('name.missing')) },
  });
  const submit = ({ name, role }: typeof form.values) => {
    setFailure(undefined);
    creation.mutate(
      { name: name.trim(), role },
      { onSuccess: onCreated, onError: (error) => setFailure(showFieldErrors(form, error)) },
    );
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        {failure !== undefined && <ErrorNotice error={failure} />}
        <TextInput
          label={t('name')}
          description={t('key.name.hint')}
          maxLength={MOST_CHARACTERS}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label={t('column.role')}
          description={<RoleHint role={form.values.role} />}
          data={roles}
          allowDeselect={false}
          {...form.getInputProps('role')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={creation.isPending}>
            {t('key.create.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/**
 * Creates a key and shows its secret, which is in this component only: when it closes, no page, cache or storage has it.
 * While the secret is in sight the dialog closes by its button only.
 */
function KeyCreation({ onClose }: { onClose: () => void }) {
  const t = useWorkspaceTexts();
  const [created, setCreated] = useState<CreatedWorkspaceKey>();
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t(created ? 'key.created.title' : 'key.create')}
      withCloseButton={!created}
      closeOnEscape={!created}
      closeOnClickOutside={false}
    >
      {created ? (
        <CreatedKey secret={created.key} onClose={onClose} />
      ) : (
        <KeyForm onCreated={setCreated} onCancel={onClose} />
      )}
    </Modal>
  );
}

/** The secret of a new key and a first question with it. Whoever closes says to have kept the secret. */
function CreatedKey({ secret, onClose }: { secret: string; onClose: () => void }) {
  const t = useWorkspaceTexts();
  const { urls } = useSite();
  const { workspace } = useWorkspace();
  const [isKept, setIsKept] = useState(false);
  return (
    <Stack>
      <Alert color="yellow">{t('key.created.once')}</Alert>
      <Stack gap="xs" align="flex-start">
        <Code block w="100%" aria-label={t('key.created.secret')}>
          {secret}
        </Code>
        <CopyButton value={secret} label={t('key.created.copy')} withText />
      </Stack>
      <Text size="md">{t('key.created.firstCall')}</Text>
      <CodeSamples samples={questionSamples(urls.memo, workspace.id)} label={t('key.created.samples')} />
      <Group justify="space-between">
        <Checkbox
          label={t('key.created.kept')}
          checked={isKept}
          onChange={(event) => setIsKept(event.currentTarget.checked)}
        />
        <Button disabled={!isKept} onClick={onClose}>
          {t('key.created.close')}
        </Button>
      </Group>
    </Stack>
  );
}

/** A first question to a workspace. The key comes from the environment, so that no example holds a secret. */
const questionSamples = (memoUrl: string, workspaceId: string): CodeSample[] => [
  {
    name: 'curl',
    code: `curl -N ${memoUrl}/v1/workspaces/${workspaceId}/chat \\
  -H "X-API-Key: $WORKSPACE_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"query": "…"}'`,
  },
];

/** So few are seen without search and order. */
const FEW_KEYS = 5;

/** The keys by which programs use the workspace: all of them for an admin, otherwise the own ones. */
export function KeysPart() {
  const t = useWorkspaceTexts();
  const { workspace } = useWorkspace();
  const query = useQuery(workspaceKeysQuery(useMemoApi(), workspace.id));
  const deleteKey = useDeleteWorkspaceKey(workspace.id);
  const [isCreating, setIsCreating] = useState(false);
  const [deleted, setDeleted] = useState<WorkspaceKey>();
  const isEmpty = query.data?.length === 0;
  const createButton = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      {t('key.create')}
    </Button>
  );
  return (
    <Stack gap="md">
      {!isEmpty && (
        <Group justify="space-between" gap="sm">
          <Text size="md" c="dimmed" maw="65ch">
            {t('keys.description')}
          </Text>
          {createButton}
        </Group>
      )}
      <QueryState
        query={query}
        isEmpty={() => isEmpty}
        empty={
          <EmptyState title={t('keys.empty')} action={createButton}>
            {t('keys.description')}
          </EmptyState>
        }
      >
        {(keys) => <KeyList keys={keys} onDelete={setDeleted} />}
      </QueryState>
      {isCreating && <KeyCreation onClose={() => setIsCreating(false)} />}
      {deleted && (
        <ActionDialog
          title={t('key.delete.title', { name: deleted.name })}
          text={t('key.delete.text')}
          confirmText={t('delete')}
          action={() => deleteKey(deleted.id)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </Stack>
  );
}

interface KeyListProps {
  keys: WorkspaceKey[];
  onDelete: (key: WorkspaceKey) => void;
}

/** The keys that the address chooses. */
function KeyList({ keys, onDelete }: KeyListProps) {
  const t = useWorkspaceTexts();
  const view = useSearch({ from: '/console/workspaces/$id/keys' });
  const navigate = useNavigate({ from: '/workspaces/$id/keys' });
  const show = (search: ListView<WorkspaceKeyOrder>) => void navigate({ to: '.', search, replace: true });
  const found = chosenWorkspaceKeys(keys, view);
  const columns: Column<WorkspaceKey>[] = [
    {
      key: 'name',
      title: t('name'),
      cell: ({ name }) => (
        <Text span inherit fw={500} className={classes.name!}>
          <MiddleCut text={name} />
        </Text>
      ),
    },
    { key: 'prefix', title: t('column.key'), place: 'status', cell: ({ prefix }) => <Code>{prefix}…</Code> },
    {
      key: 'role',
      title: t('column.role'),
      place: 'line',
      cell: ({ effective_role: role }) => t(`role.${role}`),
    },
    {
      key: 'created',
      title: t('column.created'),
      place: 'more',
      cell: ({ created_at: at }) => <Time value={at} detail="day" />,
    },
    {
      key: 'used',
      title: t('column.used'),
      cell: ({ last_used_at: at }) =>
        at ? (
          <Time value={at} />
        ) : (
          <Text span inherit c="dimmed">
            {t('used.never')}
          </Text>
        ),
    },
    {
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (key) => (
        <Group justify="flex-end">
          <Tooltip label={t('delete')}>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t('key.delete.named', { name: key.name })}
              onClick={() => onDelete(key)}
            >
              <Trash2 size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      ),
    },
  ];
  return (
    <>
      {(keys.length > FEW_KEYS || view.q !== undefined) && (
        <ListTools
          hint={t('keys.search.hint')}
          orders={WORKSPACE_KEY_ORDERS.map((order) => ({ value: order, label: t(`sort.${order}`) }))}
          view={view}
          onChange={show}
        />
      )}
      {found.length === 0 ? (
        <NothingFound title={t('keys.none')} allText={t('keys.all')} onAll={() => show({})} />
      ) : (
        <DataTable
          label={t('keys')}
          columns={columns}
          rows={rowsOfPage(found, view.page)}
          keyOf={({ id }) => id}
        />
      )}
      <ListPages rows={found.length} page={view.page} onChange={(page) => show({ ...view, page })} />
    </>
  );
}
