import { ActionIcon, Badge, Button, Group, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { ConfirmDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { MiddleCut } from '../../components/middle-cut';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Quantity } from '../../figures/figure-text';
import { useServingTexts } from './admin-serving-texts';
import { ModelFiguresTable } from './model-figures';
import { ServedModelDialog } from './served-model-dialog';
import { type ServedModel, servedModelsQuery, useDeleteServedModel } from './serving-queries';

const COLORS = { offered: 'green', hidden: 'gray', retired: 'orange' } as const;

export function ServedModelsPage() {
  const t = useServingTexts();
  const api = useConsoleApi();
  const query = useQuery(servedModelsQuery(api));
  const [opened, setOpened] = useState<ServedModel | 'new'>();
  const [removed, setRemoved] = useState<ServedModel>();
  const columns: Column<ServedModel>[] = [
    {
      key: 'slug',
      title: t('slug'),
      cell: ({ slug, name }) => <MiddleCut text={name === null ? slug : `${slug} (${name})`} width="16rem" />,
    },
    {
      key: 'state',
      title: t('state'),
      place: 'status',
      cell: ({ state, successor }) => (
        <Badge variant="dot" color={COLORS[state]} tt="none" fw={500}>
          {successor === null ? t(`state.${state}`) : `${t(`state.${state}`)} → ${successor}`}
        </Badge>
      ),
    },
    {
      key: 'aliases',
      title: t('aliases'),
      place: 'more',
      cell: ({ aliases }) => <MiddleCut text={aliases.join(', ') || '–'} width="12rem" />,
    },
    {
      key: 'fallbacks',
      title: t('fallbacks'),
      place: 'more',
      cell: ({ fallbacks }) => <MiddleCut text={fallbacks.join(', ') || '–'} width="12rem" />,
    },
    {
      key: 'context',
      title: t('context'),
      isNumber: true,
      place: 'line',
      cell: ({ context_tokens: tokens }) => (tokens === null ? '–' : <Quantity value={tokens} />),
    },
    {
      key: 'output',
      title: t('output'),
      isNumber: true,
      place: 'more',
      cell: ({ max_output_tokens: tokens }) => (tokens === null ? '–' : <Quantity value={tokens} />),
    },
    {
      key: 'actions',
      title: t('actions'),
      isTitleHidden: true,
      cell: (model) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <Tooltip label={t('edit', { name: model.slug })}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('edit', { name: model.slug })}
              onClick={() => setOpened(model)}
            >
              <Pencil size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('remove', { name: model.slug })}>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t('remove', { name: model.slug })}
              onClick={() => setRemoved(model)}
            >
              <Trash2 size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      ),
    },
  ];
  return (
    <Page
      title={t('served.title')}
      description={t('served.description')}
      actions={
        <>
          <CsvButton
            fileName="served-models.csv"
            read={() => api.GET('/api/admin/inference/models', AS_CSV)}
          />
          <Button leftSection={<Plus size={16} />} onClick={() => setOpened('new')}>
            {t('served.add')}
          </Button>
        </>
      }
    >
      <QueryState
        query={query}
        isEmpty={({ models }) => models.length === 0}
        empty={<EmptyState title={t('served.empty.title')}>{t('served.empty.text')}</EmptyState>}
      >
        {({ models }) => (
          <DataTable label={t('served.title')} columns={columns} rows={models} keyOf={({ id }) => id} />
        )}
      </QueryState>
      {query.data && query.data.figures.length > 0 && <ModelFiguresTable figures={query.data.figures} />}
      {opened && (
        <ServedModelDialog
          {...(opened !== 'new' && { model: opened })}
          onClose={() => setOpened(undefined)}
        />
      )}
      {removed && <RemoveDialog model={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  );
}

function RemoveDialog({ model, onClose }: { model: ServedModel; onClose: () => void }) {
  const t = useServingTexts();
  const removal = useDeleteServedModel();
  return (
    <ConfirmDialog
      title={t('served.remove.title', { name: model.slug })}
      text={t('served.remove.text')}
      confirmText={t('remove.confirm')}
      doing={removal}
      onConfirm={() =>
        removal.mutate(model, {
          onSuccess: () => {
            notifications.show({ message: t('served.remove.done') });
            onClose();
          },
        })
      }
      onClose={onClose}
    />
  );
}
