import { Paper, TextInput } from '@mantine/core';
import { useTimeZone } from '../../../time/time-zone-context';
import { useUsageTexts } from '../texts/usage-texts';
import { BUCKETS, DIMENSIONS, type Period, RANGES, type UsageSearch } from '../usage-search';
import { CallFilters } from './call-filters';
import { Choice } from './choice';
import classes from './filters.module.css';

interface Props {
  search: UsageSearch;
  period: Period;
  timeZone: string;
  onChange: (change: { [Name in keyof UsageSearch]?: UsageSearch[Name] | undefined }) => void;
}

export function UsageFilters({ search, period, timeZone, onChange }: Props) {
  const t = useUsageTexts();
  const { zones } = useTimeZone();
  const zoneNames = [...new Set([zones.site, zones.browser, zones.utc, timeZone])];
  const { range = '30d', bucket = 'day', group = 'model' } = search;
  const dayField = (name: 'from' | 'to', value: string) => (
    <TextInput
      type="date"
      label={t(name)}
      value={value}
      // An emptied field keeps the day that it had.
      onChange={(event) => event.currentTarget.value && onChange({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('title')}>
      <Choice
        label={t('range')}
        value={range}
        options={RANGES.map((value) => ({ value, label: t(`range.${value}`) }))}
        onChoose={(value) =>
          onChange({
            range: value,
            ...(value === 'custom'
              ? { from: period.first, to: period.last }
              : { from: undefined, to: undefined }),
          })
        }
      />
      {range === 'custom' && dayField('from', period.first)}
      {range === 'custom' && dayField('to', period.last)}
      <Choice
        label={t('bucket')}
        value={bucket}
        options={BUCKETS.map((value) => ({ value, label: t(`bucket.${value}`) }))}
        onChoose={(value) => onChange({ bucket: value })}
      />
      <Choice
        label={t('group')}
        value={group}
        options={DIMENSIONS.map((value) => ({ value, label: t(`group.${value}`) }))}
        onChoose={(value) => onChange({ group: value })}
      />
      <CallFilters filter={search} onChange={onChange} />
      <Choice
        label={t('zone')}
        value={timeZone}
        options={zoneNames.map((value) => ({ value, label: value }))}
        onChoose={(value) => onChange({ zone: value })}
      />
    </Paper>
  );
}
