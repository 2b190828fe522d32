import { Alert, Button, Checkbox, Code, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { CodeSamples } from '../../components/code-samples';
import { CopyButton } from '../../components/copy-button';
import { ConfirmDialog } from '../../components/dialogs';
import { ErrorNotice } from '../../components/error-notice';
import { EmptyState } from '../../components/empty-state';
import { ListPages, ListTools, NothingFound } from '../../components/list-tools';
import { type ListView, rowsOfPage } from '../../components/list-view';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Figure } from '../../figures/figure';
import { useSite } from '../../api/site';
import { chatModelIn, groupByModel, pricingQuery } from '../pricing/pricing-queries';
import { firstCallSamples, listKeysSamples } from './first-call-samples';
import { KeyForm } from './key-form';
import {
  type ApiKey,
  type CreatedApiKey,
  keysQuery,
  useCreateKey,
  useDeleteKey,
  useEditKey,
  useRotateKey,
} from './key-queries';
import { KeyTable } from './key-table';
import { useKeyTexts } from './key-texts';
import { chosenKeys, KEY_ORDERS, type KeyOrder } from './key-view';
import classes from './keys.module.css';

/** So few are seen without search and order. */
const FEW_KEYS = 5;

export function KeysPage() {
  const t = useKeyTexts();
  const query = useQuery(keysQuery(useConsoleApi()));
  const [isCreating, setIsCreating] = useState(false);
  const [edited, setEdited] = useState<ApiKey>();
  const [rotated, setRotated] = useState<ApiKey>();
  const [deleted, setDeleted] = useState<ApiKey>();
  const createButton = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      {t('create')}
    </Button>
  );
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={query.data?.length ? createButton : null}
    >
      <QueryState
        query={query}
        isEmpty={(keys) => keys.length === 0}
        empty={
          <EmptyState title={t('empty.title')} action={createButton}>
            {t('empty.text')}
          </EmptyState>
        }
      >
        {(keys) => <KeyList keys={keys} onEdit={setEdited} onRotate={setRotated} onDelete={setDeleted} />}
      </QueryState>
      {isCreating && <KeyCreation onClose={() => setIsCreating(false)} />}
      {edited && <EditKeyDialog apiKey={edited} onClose={() => setEdited(undefined)} />}
      {rotated && <KeyRotation apiKey={rotated} onClose={() => setRotated(undefined)} />}
      {deleted && <DeleteKeyDialog apiKey={deleted} onClose={() => setDeleted(undefined)} />}
    </Page>
  );
}

/** The keys that the address chooses. */
function KeyList({ keys, ...actions }: Parameters<typeof KeyTable>[0]) {
  const t = useKeyTexts();
  const view = useSearch({ from: '/console/keys' });
  const navigate = useNavigate();
  const show = (search: ListView<KeyOrder>) => void navigate({ to: '/keys', search, replace: true });
  const found = chosenKeys(keys, view);
  return (
    <>
      {(keys.length > FEW_KEYS || view.q !== undefined) && (
        <ListTools
          hint={t('search.hint')}
          orders={KEY_ORDERS.map((order) => ({ value: order, label: t(`order.${order}`) }))}
          view={view}
          onChange={show}
        />
      )}
      {found.length === 0 ? (
        <NothingFound title={t('nothing.title')} allText={t('nothing.all')} onAll={() => show({})} />
      ) : (
        <KeyTable keys={rowsOfPage(found, view.page)} {...actions} />
      )}
      <ListPages rows={found.length} page={view.page} onChange={(page) => show({ ...view, page })} />
    </>
  );
}

function EditKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const t = useKeyTexts();
  const edit = useEditKey(apiKey.id);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('edit.title', { name: apiKey.name })}
      closeOnClickOutside={false}
    >
      <KeyForm
        apiKey={apiKey}
        save={edit}
        submitText={t('edit.submit')}
        onSaved={({ name }) => {
          notifications.show({ message: t('edit.done', { name }) });
          onClose();
        }}
        onCancel={onClose}
      />
    </Modal>
  );
}

/**
 * Creates a key and shows its secret, which is in this component only: when it closes, no page, cache or storage has it.
 * While the secret is in sight the dialog closes by its button only.
 */
function KeyCreation({ onClose }: { onClose: () => void }) {
  const t = useKeyTexts();
  const [created, setCreated] = useState<CreatedApiKey>();
  const creation = useCreateKey();
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={created ? t('created.title') : t('create')}
      withCloseButton={!created}
      closeOnEscape={!created}
      closeOnClickOutside={false}
    >
      {created ? (
        <CreatedKey created={created} onClose={onClose} />
      ) : (
        <KeyForm save={creation} submitText={t('create.submit')} onSaved={setCreated} onCancel={onClose} />
      )}
    </Modal>
  );
}

const OVERLAPS = ['0', '3600', '86400', '604800'] as const;

/** Gives a key another secret and shows that, as the creation does. */
function KeyRotation({ apiKey: { id, name }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const t = useKeyTexts();
  const [overlap, setOverlap] = useState<string>('86400');
  const [created, setCreated] = useState<CreatedApiKey>();
  const rotation = useRotateKey();
  const rotate = () => rotation.mutate({ id, overlapSeconds: Figure.of(overlap) }, { onSuccess: setCreated });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={created ? t('created.title') : t('rotate.title', { name })}
      withCloseButton={!created}
      closeOnEscape={!created}
      closeOnClickOutside={false}
    >
      {created ? (
        <CreatedKey created={created} onClose={onClose} />
      ) : (
        <Stack>
          {rotation.error && <ErrorNotice error={rotation.error} />}
          <Text size="md">{t('rotate.text')}</Text>
          <Select
            label={t('rotate.overlap')}
            data={OVERLAPS.map((value) => ({ value, label: t(`rotate.${value}`) }))}
            value={overlap}
            onChange={(value) => value !== null && setOverlap(value)}
            allowDeselect={false}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button loading={rotation.isPending} onClick={rotate}>
              {t('rotate.submit')}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function DeleteKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const t = useKeyTexts();
  const deletion = useDeleteKey();
  const confirm = () =>
    deletion.mutate(apiKey.id, {
      onSuccess: () => {
        notifications.show({ message: t('delete.done', { name: apiKey.name }) });
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={t('delete.title', { name: apiKey.name })}
      text={t('delete.text')}
      confirmText={t('delete')}
      doing={deletion}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

/** An entry that ends with `*` allows every slug that begins like it. */
const isAllowed = (allowed: string[] | null, slug: string): boolean =>
  allowed?.some((entry) => entry === slug || (entry.endsWith('*') && slug.startsWith(entry.slice(0, -1)))) ??
  true;

/** The secret of a new key and a first call with it. Whoever closes says to have kept the secret. */
function CreatedKey({ created, onClose }: { created: CreatedApiKey; onClose: () => void }) {
  const t = useKeyTexts();
  const { urls } = useSite();
  const { data: pricing } = useQuery(pricingQuery(useConsoleApi()));
  const [isKept, setIsKept] = useState(false);
  const isManagement = created.kind === 'management';
  const { allowed_models: allowed } = created;
  const callable = pricing?.models.filter(({ slug }) => isAllowed(allowed, slug));
  const model = callable?.length
    ? chatModelIn(groupByModel(callable))
    : (allowed?.find((entry) => !entry.endsWith('*')) ?? 'MODEL');
  return (
    <Stack>
      <Alert color="yellow">{t(isManagement ? 'created.management' : 'created.once')}</Alert>
      <Stack gap="xs" align="flex-start">
        <Code block w="100%" className={classes.secret!} aria-label={t('created.secret')}>
          {created.key}
        </Code>
        <CopyButton value={created.key} label={t('created.copy')} withText />
      </Stack>
      <Text size="md">{t(isManagement ? 'created.tryManagement' : 'created.firstCall')}</Text>
      <CodeSamples
        samples={[{ name: 'Shell', code: `export API_KEY='${created.key}'` }]}
        label={t('created.environment')}
      />
      <CodeSamples
        samples={
          isManagement ? listKeysSamples(window.location.origin) : firstCallSamples(urls.gateway, model)
        }
        label={t('created.samples')}
      />
      <Group justify="space-between">
        <Checkbox
          label={t('created.kept')}
          checked={isKept}
          onChange={(event) => setIsKept(event.currentTarget.checked)}
        />
        <Button disabled={!isKept} onClick={onClose}>
          {t('created.close')}
        </Button>
      </Group>
    </Stack>
  );
}
