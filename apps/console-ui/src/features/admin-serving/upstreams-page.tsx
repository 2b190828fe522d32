import { ActionIcon, Button, Group, Modal, Stack, Text, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Coins, FlaskConical, Pencil, Play, Plus, Pause, Trash2 } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useMay } from '../../api/account';
import { useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { ConfirmDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { MiddleCut } from '../../components/middle-cut';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { useServingTexts } from './admin-serving-texts';
import {
  type Upstream,
  upstreamsQuery,
  useDeleteUpstream,
  useSetState,
  useTestUpstream,
} from './serving-queries';
import { SplitPreview } from './split-preview';
import { TestResult } from './test-result';
import { UpstreamDialog } from './upstream-dialog';
import { UpstreamStatus } from './upstream-status';

type Opened = { dialog: 'edit' | 'test' | 'remove'; upstream: Upstream } | { dialog: 'add' };

/** Of models in a row of the table. */
const MOST_NAMES = 2;

export function UpstreamsPage() {
  const t = useServingTexts();
  const api = useConsoleApi();
  const query = useQuery(upstreamsQuery(api));
  const mayChange = useMay()('PATCH /api/admin/upstreams/:id');
  const [opened, setOpened] = useState<Opened>();
  const setState = useSetState();
  const close = () => setOpened(undefined);
  const columns: Column<Upstream>[] = [
    {
      key: 'name',
      title: t('name'),
      cell: ({ name, base_url: url, region }) => (
        <>
          <Text span inherit fw={500}>
            <MiddleCut text={name} width="16rem" />
          </Text>
          <Text size="xs" c="dimmed">
            <MiddleCut text={region === null ? url : `${region} · ${url}`} width="16rem" />
          </Text>
        </>
      ),
    },
    {
      key: 'status',
      title: t('status'),
      place: 'status',
      cell: ({ state, health }) => <UpstreamStatus state={state} {...health} />,
    },
    {
      key: 'models',
      title: t('models'),
      place: 'line',
      cell: ({ models }) => (
        <MiddleCut text={namesOf(models)} width="12rem" whole={models.map(({ model }) => model).join(', ')} />
      ),
    },
    {
      key: 'running',
      title: t('running'),
      isNumber: true,
      place: 'line',
      cell: ({ health }) => health.running.toString(),
    },
    {
      key: 'calls',
      title: t('calls'),
      isNumber: true,
      place: 'more',
      cell: ({ health }) => health.calls_per_minute.toString(),
    },
    {
      key: 'failures',
      title: t('failures'),
      isNumber: true,
      place: 'more',
      cell: ({ health }) => health.failures_per_minute.toString(),
    },
    {
      key: 'firstByte',
      title: t('firstByte'),
      isNumber: true,
      place: 'more',
      cell: ({ health: { first_byte_ms: millis } }) =>
        millis === null ? '–' : t('firstByte.value', { milliseconds: millis.toString() }),
    },
    {
      key: 'actions',
      title: t('actions'),
      isTitleHidden: true,
      cell: (upstream) => {
        const { id, name, state } = upstream;
        const costs = (
          <Tooltip label={t('costs', { name })}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('costs', { name })}
              renderRoot={(props) => <Link {...props} to="/admin/pricing/costs" search={{ upstream: id }} />}
            >
              <Coins size={16} />
            </ActionIcon>
          </Tooltip>
        );
        if (!mayChange) return costs;
        return (
          <Group gap={4} wrap="nowrap" justify="flex-end">
            {costs}
            <Action label={t('test', { name })} onClick={() => setOpened({ dialog: 'test', upstream })}>
              <FlaskConical size={16} />
            </Action>
            {state === 'active' ? (
              <Action
                label={t('drain', { name })}
                onClick={() => setState.mutate({ upstream, state: 'draining' })}
              >
                <Pause size={16} />
              </Action>
            ) : (
              <Action
                label={t('activate', { name })}
                onClick={() => setState.mutate({ upstream, state: 'active' })}
              >
                <Play size={16} />
              </Action>
            )}
            <Action label={t('edit', { name })} onClick={() => setOpened({ dialog: 'edit', upstream })}>
              <Pencil size={16} />
            </Action>
            <Action
              label={t('remove', { name })}
              color="red"
              onClick={() => setOpened({ dialog: 'remove', upstream })}
            >
              <Trash2 size={16} />
            </Action>
          </Group>
        );
      },
    },
  ];
  const all = query.data?.upstreams ?? [];
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <>
          <CsvButton fileName="upstreams.csv" read={() => api.GET('/api/admin/upstreams', AS_CSV)} />
          {mayChange && (
            <Button leftSection={<Plus size={16} />} onClick={() => setOpened({ dialog: 'add' })}>
              {t('add')}
            </Button>
          )}
        </>
      }
    >
      {setState.error && <ErrorNotice error={setState.error} />}
      <QueryState
        query={query}
        isEmpty={({ upstreams }) => upstreams.length === 0}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {({ upstreams }) => (
          <>
            <DataTable label={t('title')} columns={columns} rows={upstreams} keyOf={({ id }) => id} />
            <SplitPreview upstreams={upstreams} title={t('split')} />
          </>
        )}
      </QueryState>
      {opened?.dialog === 'add' && <UpstreamDialog all={all} onClose={close} />}
      {opened?.dialog === 'edit' && <UpstreamDialog all={all} upstream={opened.upstream} onClose={close} />}
      {opened?.dialog === 'test' && <TestDialog upstream={opened.upstream} onClose={close} />}
      {opened?.dialog === 'remove' && <RemoveDialog upstream={opened.upstream} onClose={close} />}
    </Page>
  );
}

/** The first names, and how many more there are: the split below has all. */
function namesOf(models: Upstream['models']): string {
  const names = models.slice(0, MOST_NAMES).map(({ model }) => model);
  const more = models.length - names.length;
  return (more > 0 ? [...names, `+${more}`] : names).join(', ') || '–';
}

interface ActionProps {
  label: string;
  color?: string;
  onClick: () => void;
  children: ReactNode;
}

function Action({ label, color = 'gray', onClick, children }: ActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color={color} aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

function TestDialog({ upstream: { id, name }, onClose }: { upstream: Upstream; onClose: () => void }) {
  const t = useServingTexts();
  const { mutate, data, error } = useTestUpstream();
  useEffect(() => mutate(id), [mutate, id]);
  return (
    <Modal opened onClose={onClose} title={t('test.title', { name })}>
      <Stack aria-live="polite">
        <TestResult result={data} error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('close')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function RemoveDialog({ upstream, onClose }: { upstream: Upstream; onClose: () => void }) {
  const t = useServingTexts();
  const removal = useDeleteUpstream();
  return (
    <ConfirmDialog
      title={t('remove.title', { name: upstream.name })}
      text={t('remove.text')}
      confirmText={t('remove.confirm')}
      doing={removal}
      onConfirm={() =>
        removal.mutate(upstream, {
          onSuccess: () => {
            notifications.show({ message: t('remove.done') });
            onClose();
          },
        })
      }
      onClose={onClose}
    />
  );
}
