import { Select, TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { type Model } from '../model-queries';
import { useModelsTexts } from '../texts/models-texts';
import { MODEL_FACTS, MODEL_ORDERS, type ModelFilter, modelFilterIn, valuesOf } from './model-filter';
import classes from './models.module.css';

interface Props {
  models: Model[];
  filter: ModelFilter;
  onChange: (filter: ModelFilter) => void;
}

/** Search, facts and order. A fact that no model has is not offered. */
export function ModelFilterForm({ models, filter, onChange }: Props) {
  const t = useModelsTexts();
  const change = (name: keyof ModelFilter, value: string | null) =>
    onChange(modelFilterIn({ ...filter, [name]: value ?? undefined }));
  return (
    <div role="search" className={classes.filter}>
      <TextInput
        className={classes.search}
        label={t('search')}
        placeholder={t('search.hint')}
        leftSection={<Search size={16} />}
        type="search"
        value={filter.q ?? ''}
        onChange={(event) => change('q', event.currentTarget.value)}
      />
      {MODEL_FACTS.map((fact) => {
        const values = valuesOf(models, fact);
        return (
          values.length > 0 && (
            <Select
              key={fact}
              label={t(fact)}
              placeholder={t('any')}
              data={values}
              value={filter[fact] ?? null}
              onChange={(value) => change(fact, value)}
              clearable
              searchable
            />
          )
        );
      })}
      <Select
        label={t('sort')}
        data={MODEL_ORDERS.map((order) => ({ value: order, label: t(`sort.${order}`) }))}
        value={filter.sort ?? 'newest'}
        onChange={(value) => change('sort', value)}
        allowDeselect={false}
      />
    </div>
  );
}
