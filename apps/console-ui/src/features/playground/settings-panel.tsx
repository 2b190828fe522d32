import {
  Anchor,
  Button,
  Group,
  JsonInput,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Columns2, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { toApiError } from '../../api/api-error';
import { useConsoleApi } from '../../api/console-api';
import { ConfirmDialog, FormDialog } from '../../components/dialogs';
import { ErrorNotice } from '../../components/error-notice';
import { ModelPicker } from './model-picker';
import { type Fault, faultsOf, type Parameters, type ResponseFormat } from './parameters';
import { usePlaygroundTexts } from './playground-texts';
import { type Preset, presetsQuery, useDeletePreset, useSavePreset, useSaving } from './saved-queries';

const FORMATS: ResponseFormat[] = ['text', 'json_object', 'json_schema'];
const EXAMPLE_TOOLS = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'Returns the weather of a city.',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        },
      },
    },
  ],
  null,
  2,
);
const EXAMPLE_SCHEMA = JSON.stringify(
  { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
  null,
  2,
);

interface Props {
  models: string[];
  parameters: Parameters;
  isBusy: boolean;
  onChange: (parameters: Parameters) => void;
}

/** Models, presets and everything that a call sends besides its messages. */
export function SettingsPanel({ models, parameters, isBusy, onChange }: Props) {
  const t = usePlaygroundTexts();
  const change = (part: Partial<Parameters>) => onChange({ ...parameters, ...part });
  const faults = faultsOf(parameters);
  const textOf = (fault: Fault | undefined): ReactNode =>
    fault ? (t as (key: string, values?: object) => string)(fault.key, fault.values) : null;
  const textField = (
    name: 'temperature' | 'topP' | 'maxTokens' | 'seed',
    inputMode: 'decimal' | 'numeric',
  ) => (
    <TextInput
      label={t(name)}
      description={t(`${name}.hint`)}
      inputMode={inputMode}
      value={parameters[name]}
      error={textOf(faults[name])}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <Stack gap="md">
      <Presets parameters={parameters} isBusy={isBusy} onApply={onChange} />
      <Models {...{ models, parameters, isBusy, onChange }} />
      <Textarea
        label={t('system')}
        description={t('system.hint')}
        autosize
        minRows={2}
        maxRows={8}
        value={parameters.system}
        onChange={(event) => change({ system: event.currentTarget.value })}
      />
      {textField('temperature', 'decimal')}
      {textField('topP', 'decimal')}
      {textField('maxTokens', 'numeric')}
      <Textarea
        label={t('stops')}
        description={t('stops.hint')}
        autosize
        minRows={1}
        maxRows={5}
        value={parameters.stop}
        error={textOf(faults.stop)}
        onChange={(event) => change({ stop: event.currentTarget.value })}
      />
      {textField('seed', 'numeric')}
      <Select
        label={t('format')}
        data={FORMATS.map((value) => ({ value, label: t(`format.${value}`) }))}
        value={parameters.format}
        allowDeselect={false}
        onChange={(format) => format && change({ format: format as ResponseFormat })}
      />
      {parameters.format === 'json_schema' && (
        <JsonField
          label={t('schema')}
          hint={t('schema.hint')}
          example={EXAMPLE_SCHEMA}
          value={parameters.schema}
          error={textOf(faults.schema)}
          onChange={(schema) => change({ schema })}
        />
      )}
      <JsonField
        label={t('tools')}
        hint={t('tools.hint')}
        example={EXAMPLE_TOOLS}
        value={parameters.tools}
        error={textOf(faults.tools)}
        onChange={(tools) => change({ tools })}
      />
      <SavingSwitch />
    </Stack>
  );
}

/** One model, or two that answer side by side. */
function Models({ models, parameters, isBusy, onChange }: Props) {
  const t = usePlaygroundTexts();
  const [first, second] = parameters.models;
  const choose = (chosen: string[]) => onChange({ ...parameters, models: chosen });
  return (
    <Stack gap="xs">
      <ModelPicker
        label={t(second ? 'model.first' : 'model')}
        models={models}
        value={first}
        isDisabled={isBusy}
        onChange={(model) => choose([model, ...parameters.models.slice(1)])}
      />
      {second !== undefined && (
        <ModelPicker
          label={t('model.second')}
          models={models}
          value={second}
          isDisabled={isBusy}
          onChange={(model) => choose([first!, model])}
        />
      )}
      <Button
        size="xs"
        variant="default"
        disabled={isBusy}
        leftSection={second ? <X size={14} /> : <Columns2 size={14} />}
        onClick={() =>
          choose(second ? [first!] : [first!, models.find((model) => model !== first) ?? first!])
        }
      >
        {t(second ? 'compare.end' : 'compare')}
      </Button>
    </Stack>
  );
}

interface JsonFieldProps {
  label: string;
  hint: string;
  /** Put into an empty field by a button. */
  example: string;
  value: string;
  error: ReactNode;
  onChange: (text: string) => void;
}

function JsonField({ label, hint, example, value, error, onChange }: JsonFieldProps) {
  const t = usePlaygroundTexts();
  return (
    <Stack gap={4}>
      <JsonInput
        label={label}
        description={hint}
        autosize
        minRows={3}
        maxRows={16}
        value={value}
        error={error}
        spellCheck={false}
        onChange={onChange}
      />
      {value.trim() === '' && (
        <Anchor component="button" type="button" size="sm" ta="start" onClick={() => onChange(example)}>
          {t('json.example', { name: label })}
        </Anchor>
      )}
    </Stack>
  );
}

/** Whether conversations are kept for the account. */
function SavingSwitch() {
  const t = usePlaygroundTexts();
  const { saves, change, error } = useSaving();
  /** What was chosen, until the service has answered. */
  const [chosen, setChosen] = useState<boolean>();
  return (
    <Stack gap="xs">
      <Switch
        label={t('saving.off')}
        description={t('saving.off.hint')}
        checked={(chosen ?? saves) === false}
        disabled={saves === undefined}
        onChange={(event) => {
          const next = !event.currentTarget.checked;
          setChosen(next);
          change(next, { onSettled: () => setChosen(undefined) });
        }}
      />
      {error && <ErrorNotice error={error} />}
    </Stack>
  );
}

interface PresetsProps {
  parameters: Parameters;
  isBusy: boolean;
  onApply: (parameters: Parameters) => void;
}

/** The presets of the account: one is chosen, saved, replaced or deleted. */
function Presets({ parameters, isBusy, onApply }: PresetsProps) {
  const t = usePlaygroundTexts();
  const { data: presets = [] } = useQuery(presetsQuery(useConsoleApi()));
  const save = useSavePreset();
  const remove = useDeletePreset();
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [dialog, setDialog] = useState<'save' | 'delete'>();
  const chosen = presets.find(({ id }) => id === chosenId);
  const apply = (preset: Preset | undefined) => {
    setChosenId(preset?.id ?? null);
    if (preset) onApply(preset.parameters);
  };
  return (
    <>
      <Stack gap="xs">
        <Select
          label={t('preset')}
          placeholder={t(presets.length > 0 ? 'preset.choose' : 'preset.none')}
          data={presets.map(({ id, name }) => ({ value: id, label: name }))}
          value={chosen?.id ?? null}
          searchable={presets.length > 8}
          disabled={isBusy || presets.length === 0}
          onChange={(id) => apply(presets.find((preset) => preset.id === id))}
        />
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setDialog('save')}>
            {t('preset.save')}
          </Button>
          {chosen && (
            <>
              <Button
                size="xs"
                variant="default"
                aria-label={t('preset.update.named', { name: chosen.name })}
                loading={save.isPending}
                onClick={() => save.mutate({ id: chosen.id, name: chosen.name, parameters })}
              >
                {t('preset.update')}
              </Button>
              <Button
                size="xs"
                variant="default"
                aria-label={t('preset.delete', { name: chosen.name })}
                onClick={() => setDialog('delete')}
              >
                {t('delete')}
              </Button>
            </>
          )}
        </Group>
      </Stack>
      {save.error && dialog !== 'save' && <ErrorNotice error={save.error} />}
      {dialog === 'save' && (
        <SavePreset
          saving={save}
          onSave={(name) =>
            save.mutate(
              { name, parameters },
              {
                onSuccess: ({ id }) => {
                  setChosenId(id);
                  setDialog(undefined);
                },
              },
            )
          }
          onClose={() => {
            save.reset();
            setDialog(undefined);
          }}
        />
      )}
      {dialog === 'delete' && chosen && (
        <ConfirmDialog
          title={t('preset.delete', { name: chosen.name })}
          text={t('preset.delete.text')}
          confirmText={t('delete')}
          doing={remove}
          onConfirm={() => remove.mutate(chosen.id, { onSuccess: () => setDialog(undefined) })}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}

const MOST_NAME_CHARS = 100;

interface SavePresetProps {
  saving: { error: Error | null; isPending: boolean };
  onSave: (name: string) => void;
  onClose: () => void;
}

function SavePreset({ saving, onSave, onClose }: SavePresetProps) {
  const t = usePlaygroundTexts();
  const [name, setName] = useState('');
  const isTaken = saving.error !== null && toApiError(saving.error).detail.startsWith('name:');
  return (
    <FormDialog
      title={t('preset.save')}
      submitText={t('save')}
      isDisabled={name.trim() === ''}
      isPending={saving.isPending}
      onSubmit={(event) => {
        event.preventDefault();
        onSave(name.trim());
      }}
      onClose={onClose}
    >
      {saving.error && !isTaken && <ErrorNotice error={saving.error} />}
      <Text size="md">{t('preset.save.text')}</Text>
      <TextInput
        label={t('preset.name')}
        data-autofocus
        maxLength={MOST_NAME_CHARS}
        value={name}
        error={isTaken ? t('preset.taken') : null}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
