import { Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { FormDialog } from '../../components/dialogs';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { useAdminPackagesTexts } from './admin-packages-texts';
import { type AdminModel, useSaveModel } from './package-queries';

const TRAITS = ['family', 'parameters', 'quantization', 'format', 'license'] as const;

interface Props {
  /** Absent for a new one. */
  model?: AdminModel | undefined;
  onSaved: (slug: string) => void;
  onClose: () => void;
}

/** Describes a model. What is published of it does not change. */
export function ModelDialog({ model, onSaved, onClose }: Props) {
  const t = useAdminPackagesTexts();
  const save = useSaveModel();
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: {
      slug: model?.slug ?? '',
      name: model?.name ?? '',
      description: model?.description ?? '',
      family: model?.family ?? '',
      parameters: model?.parameters ?? '',
      quantization: model?.quantization ?? '',
      format: model?.format ?? '',
      license: model?.license ?? '',
    },
    validate: {
      slug: (slug) => (slug.trim() ? null : t('slug.missing')),
      name: (name) => (name.trim() ? null : t('name.missing')),
    },
  });
  const submit = ({ slug: typed, name, description, ...traits }: typeof form.values) => {
    const slug = typed.trim();
    setFailure(undefined);
    const given = Object.fromEntries(TRAITS.map((trait) => [trait, traits[trait].trim() || null]));
    save.mutate(
      { slug, name: name.trim(), description, ...given },
      {
        onSuccess: () => onSaved(slug),
        onError: (error) => setFailure(showFieldErrors(form, error)),
      },
    );
  };
  return (
    <FormDialog
      size="lg"
      title={model ? t('edit.title', { name: model.name }) : t('create')}
      submitText={t('save')}
      isPending={save.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && <ErrorNotice error={failure} />}
      <TextInput
        label={t('slug')}
        description={t('slug.hint')}
        required
        disabled={model !== undefined}
        data-autofocus
        {...form.getInputProps('slug')}
      />
      <TextInput label={t('name')} maxLength={200} required {...form.getInputProps('name')} />
      <Textarea
        label={t('description.label')}
        rows={4}
        maxLength={20_000}
        {...form.getInputProps('description')}
      />
      {TRAITS.map((trait) => (
        <TextInput key={trait} label={t(trait)} maxLength={100} {...form.getInputProps(trait)} />
      ))}
    </FormDialog>
  );
}
