import { Group, MultiSelect, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { FormDialog } from '../../components/dialogs';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { Figure } from '../../figures/figure';
import { useModelsTexts } from '../models/models-texts';
import { useServingTexts } from './admin-serving-texts';
import { ReviewDialog } from './review-dialog';
import {
  sendServedModel,
  type ServedModel,
  servedModelsQuery,
  useRefreshServedModels,
} from './serving-queries';
import { changedSettings, editedFields } from './setting-changes';
import { type Reviewed, useReview } from './use-review';

const STATES = ['offered', 'hidden', 'retired'] as const;
const MODALITIES = ['text', 'image', 'audio', 'video', 'embedding'] as const;
type Modality = (typeof MODALITIES)[number];
const LIMIT_FIELDS = ['max_tokens', 'max_completion_tokens'] as const;
const WHOLE = /^\d{0,15}$/;

/** The settings that a form changes, with their labels, in its order. */
const LABELS = {
  slug: 'slug',
  name: 'served.name',
  context_tokens: 'context',
  max_output_tokens: 'output',
  input_modalities: 'input',
  output_modalities: 'outputs',
  aliases: 'aliases',
  fallbacks: 'fallbacks',
  output_limit_field: 'limitField',
  state: 'state',
  successor: 'successor',
} as const;
type Setting = keyof typeof LABELS;
const SETTINGS = Object.keys(LABELS) as Setting[];

const listOf = (text: string) =>
  text
    .split(/[,，\s]+/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
const figureOf = (text: string) => (text.trim() === '' ? null : Figure.of(text.trim()));

interface FormValues {
  slug: string;
  name: string;
  context_tokens: string;
  max_output_tokens: string;
  input_modalities: Modality[];
  output_modalities: Modality[];
  output_limit_field: ServedModel['output_limit_field'];
  aliases: string;
  fallbacks: string;
  state: ServedModel['state'];
  successor: string;
}

/** What the API takes for what was typed. */
const fieldsOf = (values: FormValues) => ({
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
});

interface Props {
  model?: ServedModel;
  onClose: () => void;
}

/** Adds a model, or changes what is known of one. */
export function ServedModelDialog({ model, onClose }: Props) {
  const t = useServingTexts();
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  const refresh = useRefreshServedModels();
  const [failure, setFailure] = useState<unknown>();
  const whole = (text: string) => (WHOLE.test(text.trim()) ? null : t('number.wrong'));
  const form = useForm<FormValues>({
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
  const review = useReview<ServedModel>({
    opened: model,
    readAll: async () => (await queryClient.fetchQuery({ ...servedModelsQuery(api), staleTime: 0 })).models,
    send: (base, isDryRun) => {
      const fields = fieldsOf(form.values);
      const edited = base ? editedFields(fieldsOf(form.getInitialValues()), fields) : fields;
      return sendServedModel(api, base, edited, isDryRun);
    },
    onSaved: async () => {
      await refresh();
      notifications.show({ message: t('saved') });
      onClose();
    },
    onRefused: (error) => setFailure(showFieldErrors(form, error)),
  });
  const submit = () => {
    setFailure(undefined);
    review.start();
  };
  if (review.reviewed)
    return (
      <ServedModelReview
        opened={model}
        reviewed={review.reviewed}
        isPending={review.isPending}
        onSave={review.save}
        onBack={review.leave}
      />
    );
  return (
    <FormDialog
      size="48rem"
      title={model ? t('edit.title', { name: model.slug }) : t('served.add')}
      submitText={t('review')}
      isPending={review.isPending}
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

interface ReviewProps {
  /** What the form began with. */
  opened: ServedModel | undefined;
  reviewed: Reviewed<ServedModel>;
  isPending: boolean;
  onSave: () => void;
  onBack: () => void;
}

/** Shows what would change of a model. */
function ServedModelReview({ opened, reviewed: { base, after }, ...dialog }: ReviewProps) {
  const t = useServingTexts();
  const modelsText = useModelsTexts();
  const textOf = (name: Setting, value: ServedModel[Setting]): string => {
    if (name === 'state') return t(`state.${value as ServedModel['state']}`);
    if (name === 'input_modalities' || name === 'output_modalities')
      return (
        (value as Modality[] | null)?.map((modality) => modelsText(`modality.${modality}`)).join(', ') ??
        t('unknown')
      );
    if (Array.isArray(value)) return value.join(', ') || t('review.none');
    return value === null ? t('review.none') : value.toString();
  };
  const theirs = opened && base ? changedSettings(SETTINGS, opened, base).map(({ name }) => name) : [];
  const changes = changedSettings(SETTINGS, base, after).map(({ name, ...values }) => ({
    key: name,
    setting: t(LABELS[name]),
    before: base ? textOf(name, values.before as ServedModel[Setting]) : '–',
    after: textOf(name, values.after as ServedModel[Setting]),
    isConflict: theirs.includes(name),
  }));
  return <ReviewDialog {...dialog} changes={changes} isRebased={theirs.length > 0} />;
}
