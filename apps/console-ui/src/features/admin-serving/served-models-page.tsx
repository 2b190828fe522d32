import { ActionIcon, Badge, Button, Group, MultiSelect, Select, TextInput, Tooltip } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { ConfirmDialog, FormDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { MiddleCut } from '../../components/middle-cut';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Figure } from '../../figures/figure';
import { Quantity } from '../../figures/figure-text';
import { useModelsTexts } from '../models/models-texts';
import { useServingTexts } from './admin-serving-texts';
import { ModelFiguresTable } from './model-figures';
import {
  type ServedModel,
  servedModelsQuery,
  useDeleteServedModel,
  useSaveServedModel,
} from './serving-queries';

const COLORS = { offered: 'green', hidden: 'gray', retired: 'orange' } as const;
const STATES = ['offered', 'hidden', 'retired'] as const;
const MODALITIES = ['text', 'image', 'audio', 'video', 'embedding'] as const;
type Modality = (typeof MODALITIES)[number];
const LIMIT_FIELDS = ['max_tokens', 'max_completion_tokens'] as const;
const WHOLE = /^\d{0,15}$/;

export function ServedModelsPage() {
  const t = useServingTexts();
  const query = useQuery(servedModelsQuery(useConsoleApi()));
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
      cell: ({ aliases }) => <MiddleCut text={aliases.join(', ') || '–'} width="14rem" />,
    },
    {
      key: 'fallbacks',
      title: t('fallbacks'),
      place: 'more',
      cell: ({ fallbacks }) => <MiddleCut text={fallbacks.join(', ') || '–'} width="14rem" />,
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
        <Button leftSection={<Plus size={16} />} onClick={() => setOpened('new')}>
          {t('served.add')}
        </Button>
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

const listOf = (text: string) =>
  text
    .split(/[,，\s]+/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
const figureOf = (text: string) => (text.trim() === '' ? null : Figure.of(text.trim()));

function ServedModelDialog({ model, onClose }: { model?: ServedModel; onClose: () => void }) {
  const t = useServingTexts();
  const save = useSaveServedModel(model);
  const [failure, setFailure] = useState<unknown>();
  const whole = (text: string) => (WHOLE.test(text.trim()) ? null : t('number.wrong'));
  const form = useForm({
    initialValues: {
      slug: model?.slug ?? '',
      name: model?.name ?? '',
      context_tokens: model?.context_tokens?.toString() ?? '',
      max_output_tokens: model?.max_output_tokens?.toString() ?? '',
      input_modalities: model?.input_modalities ?? [],
      output_modalities: model?.output_modalities ?? [],
      output_limit_field: model?.output_limit_field ?? 'max_tokens',
      aliases: (model?.aliases ?? []).join(', '),
      fallbacks: (model?.fallbacks ?? []).join(', '),
      state: model?.state ?? 'offered',
      successor: model?.successor ?? '',
    },
    validate: { context_tokens: whole, max_output_tokens: whole },
  });
  const submit = (values: typeof form.values) => {
    setFailure(undefined);
    save.mutate(
      {
        slug: values.slug.trim(),
        name: values.name.trim() || null,
        context_tokens: figureOf(values.context_tokens),
        max_output_tokens: figureOf(values.max_output_tokens),
        input_modalities: values.input_modalities.length > 0 ? values.input_modalities : null,
        output_modalities: values.output_modalities.length > 0 ? values.output_modalities : null,
        output_limit_field: values.output_limit_field,
        aliases: listOf(values.aliases),
        fallbacks: listOf(values.fallbacks),
        state: values.state,
        successor: (values.state === 'retired' && values.successor.trim()) || null,
      },
      {
        onSuccess: () => {
          notifications.show({ message: t('saved') });
          onClose();
        },
        onError: (error) => setFailure(showFieldErrors(form, error)),
      },
    );
  };
  return (
    <FormDialog
      size="48rem"
      title={model ? t('edit.title', { name: model.slug }) : t('served.add')}
      submitText={t('save')}
      isPending={save.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && <ErrorNotice error={failure} />}
      {!model && (
        <TextInput
          label={t('slug')}
          description={t('slug.hint')}
          required
          data-autofocus
          {...form.getInputProps('slug')}
        />
      )}
      <TextInput label={t('served.name')} maxLength={200} {...form.getInputProps('name')} />
      <Group align="flex-start" grow>
        <TextInput
          label={t('context')}
          placeholder={t('unknown')}
          inputMode="numeric"
          {...form.getInputProps('context_tokens')}
        />
        <TextInput
          label={t('output')}
          placeholder="4096"
          inputMode="numeric"
          {...form.getInputProps('max_output_tokens')}
        />
      </Group>
      <Group align="flex-start" grow>
        <Modalities
          label={t('input')}
          placeholder={t('unknown')}
          {...form.getInputProps('input_modalities')}
        />
        <Modalities
          label={t('outputs')}
          placeholder={t('unknown')}
          {...form.getInputProps('output_modalities')}
        />
      </Group>
      <TextInput label={t('aliases')} description={t('list.hint')} {...form.getInputProps('aliases')} />
      <TextInput
        label={t('fallbacks')}
        description={t('fallbacks.hint')}
        {...form.getInputProps('fallbacks')}
      />
      <Group align="flex-start">
        <Select
          flex="1 1 11rem"
          label={t('limitField')}
          allowDeselect={false}
          data={[...LIMIT_FIELDS]}
          {...form.getInputProps('output_limit_field')}
        />
        <Select
          flex="1 1 11rem"
          label={t('state')}
          allowDeselect={false}
          data={STATES.map((value) => ({ value, label: t(`state.${value}`) }))}
          {...form.getInputProps('state')}
        />
        <TextInput
          flex="1 1 11rem"
          label={t('successor')}
          disabled={form.values.state !== 'retired'}
          {...form.getInputProps('successor')}
        />
      </Group>
    </FormDialog>
  );
}

interface ModalitiesProps {
  label: string;
  placeholder: string;
  value?: Modality[];
  onChange: (value: Modality[]) => void;
}

function Modalities({ label, placeholder, value = [], onChange }: ModalitiesProps) {
  const t = useModelsTexts();
  return (
    <MultiSelect
      label={label}
      {...(value.length === 0 && { placeholder })}
      data={MODALITIES.map((modality) => ({ value: modality, label: t(`modality.${modality}`) }))}
      value={value}
      onChange={(names) => onChange(names as Modality[])}
    />
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
