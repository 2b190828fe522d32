import { Paper, TextInput } from '@mantine/core';
import { CallFilters } from '../usage/filters/call-filters';
import { Choice } from '../usage/filters/choice';
import classes from '../usage/filters/filters.module.css';
import { OUTCOMES, type RequestSearch } from './request-search';
import { useRequestTexts } from './texts/request-texts';

interface Props {
  search: RequestSearch;
  onChange: (change: { [Name in keyof RequestSearch]?: RequestSearch[Name] | undefined }) => void;
}

export function RequestFilters({ search, onChange }: Props) {
  const t = useRequestTexts();
  const dayField = (name: 'from' | 'to') => (
    <TextInput
      type="date"
      label={t(name)}
      value={search[name] ?? ''}
      onChange={(event) => onChange({ [name]: event.currentTarget.value || undefined })}
    />
  );
  return (
    <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('title')}>
      {dayField('from')}
      {dayField('to')}
      <CallFilters filter={search} onChange={onChange} />
      <Choice
        label={t('outcome')}
        value={search.outcome ?? ''}
        options={[
          { value: '', label: t('outcome.all') },
          ...OUTCOMES.map((outcome) => ({ value: outcome, label: t(`outcome.${outcome}`) })),
        ]}
        onChoose={(outcome) => onChange({ outcome: outcome === '' ? undefined : outcome })}
      />
    </Paper>
  );
}
