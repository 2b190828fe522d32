import { Button, Paper, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { Columns2, X } from 'lucide-react';
import { isTemperature, isTokenCount, type Parameters } from './conversation';
import { usePlaygroundTexts } from './playground-texts';

interface Props {
  models: string[];
  parameters: Parameters;
  isBusy: boolean;
  onChange: (parameters: Parameters) => void;
}

export function ParametersForm({ models, parameters, isBusy, onChange }: Props) {
  const t = usePlaygroundTexts();
  const [first, second] = parameters.models;
  const change = (part: Partial<Parameters>) => onChange({ ...parameters, ...part });
  return (
    <Paper withBorder p="md" component="section" aria-label={t('parameters')}>
      <Stack gap="md">
        <Select
          label={t(second ? 'model.first' : 'model')}
          data={models}
          value={first ?? null}
          searchable={models.length > 8}
          allowDeselect={false}
          disabled={isBusy}
          onChange={(model) => model && change({ models: [model, ...parameters.models.slice(1)] })}
        />
        {second !== undefined && (
          <Select
            label={t('model.second')}
            data={models}
            value={second}
            searchable={models.length > 8}
            allowDeselect={false}
            disabled={isBusy}
            onChange={(model) => model && change({ models: [first!, model] })}
          />
        )}
        <Button
          size="xs"
          variant="default"
          disabled={isBusy}
          leftSection={second ? <X size={14} /> : <Columns2 size={14} />}
          onClick={() =>
            change({
              models: second ? [first!] : [first!, models.find((model) => model !== first) ?? first!],
            })
          }
        >
          {t(second ? 'compare.end' : 'compare')}
        </Button>
        <Textarea
          label={t('system')}
          description={t('system.hint')}
          autosize
          minRows={2}
          maxRows={8}
          value={parameters.system}
          onChange={(event) => change({ system: event.currentTarget.value })}
        />
        <TextInput
          label={t('temperature')}
          description={t('temperature.hint')}
          inputMode="decimal"
          value={parameters.temperature}
          error={isTemperature(parameters.temperature) ? null : t('temperature.invalid')}
          onChange={(event) => change({ temperature: event.currentTarget.value })}
        />
        <TextInput
          label={t('maxTokens')}
          description={t('maxTokens.hint')}
          inputMode="numeric"
          value={parameters.maxTokens}
          error={isTokenCount(parameters.maxTokens) ? null : t('maxTokens.invalid')}
          onChange={(event) => change({ maxTokens: event.currentTarget.value })}
        />
      </Stack>
    </Paper>
  );
}
