import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../api/console-api';
import { keysQuery } from '../keys/key-queries';
import { pricingQuery } from '../pricing/pricing-queries';
import { KNOWN_ENTRYPOINTS, NO_KEY, useEntrypointName } from './usage-queries';
import { useUsageTexts } from './usage-texts';

export interface CallFilter {
  model?: string | undefined;
  key?: string | undefined;
  entrypoint?: string | undefined;
}

const ALL = '';

/** The fields that choose calls by model, API key and entrypoint. A chosen value is offered also if it exists no more. */
export function CallFilters({
  filter: { model, key, entrypoint },
  onChange,
}: {
  filter: CallFilter;
  onChange: (change: CallFilter) => void;
}) {
  const t = useUsageTexts();
  const api = useConsoleApi();
  const { data: pricing } = useQuery(pricingQuery(api));
  const { data: keys } = useQuery(keysQuery(api));
  const entrypointName = useEntrypointName();
  const all = { value: ALL, label: t('filter.all') };
  const keyOptions = [
    { value: NO_KEY, label: t('filter.noKey') },
    ...(keys ?? [])
      .filter(({ kind }) => kind === 'api')
      .map(({ id, name, prefix }) => ({ value: id, label: `${name} (${prefix}…)` })),
  ];
  const options = (
    values: readonly string[],
    chosen: string | undefined,
    labelOf = (value: string) => value,
  ) =>
    [...new Set([...values, ...(chosen === undefined ? [] : [chosen])])].map((value) => ({
      value,
      label: labelOf(value),
    }));
  return (
    <>
      <Choice
        label={t('group.model')}
        value={model ?? ALL}
        options={[all, ...options(pricing?.models.map(({ slug }) => slug) ?? [], model)]}
        onChoose={(value) => onChange({ model: value || undefined })}
        isSearchable
      />
      <Choice
        label={t('group.api_key')}
        value={key ?? ALL}
        options={[
          all,
          ...options(
            keyOptions.map(({ value }) => value),
            key,
            (id) => keyOptions.find(({ value }) => value === id)?.label ?? id,
          ),
        ]}
        onChoose={(value) => onChange({ key: value || undefined })}
        isSearchable
      />
      <Choice
        label={t('group.entrypoint')}
        value={entrypoint ?? ALL}
        options={[all, ...options(KNOWN_ENTRYPOINTS, entrypoint, entrypointName)]}
        onChoose={(value) => onChange({ entrypoint: value || undefined })}
      />
    </>
  );
}

interface Props<Value extends string> {
  label: string;
  value: Value;
  options: { value: Value; label: string }[];
  onChoose: (value: Value) => void;
  isSearchable?: boolean;
}

/** A field with exactly one of some values. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChoose,
  isSearchable = false,
}: Props<Value>) {
  return (
    <Select
      label={label}
      data={options}
      value={value}
      onChange={(chosen) => onChoose((chosen ?? value) as Value)}
      allowDeselect={false}
      searchable={isSearchable}
    />
  );
}
