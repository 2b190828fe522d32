import { Anchor, Button, Code, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { MiddleCut } from '../../components/middle-cut';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Bytes } from '../../figures/figure-text';
import { Time } from '../../time/time';
import {
  filterModels,
  MODEL_FACTS,
  MODEL_ORDERS,
  type ModelFilter,
  modelFilterIn,
  valuesOf,
} from './model-filter';
import { type Model, modelsQuery } from './model-queries';
import { usePackagesTexts } from './packages-texts';
import classes from './packages.module.css';

const FACTS = ['family', 'parameters', 'quantization', 'format', 'license'] as const;

/** A fact that no model has is no column. */
function ModelTable({ models }: { models: Model[] }) {
  const t = usePackagesTexts();
  const facts = FACTS.filter((fact) => models.some((model) => model[fact] !== null));
  const columns: Column<Model>[] = [
    {
      key: 'name',
      title: t('column.model'),
      cell: ({ name, slug }) => (
        <Stack gap={2} align="flex-start">
          <Anchor
            fw={500}
            inherit
            renderRoot={(props) => <Link {...props} to="/packages/$" params={{ _splat: slug }} />}
          >
            <MiddleCut text={name} width="18rem" />
          </Anchor>
          <Code maw="100%">
            <MiddleCut text={slug} width="18rem" />
          </Code>
        </Stack>
      ),
    },
    ...facts.map((fact) => ({ key: fact, title: t(fact), cell: (model: Model) => model[fact] ?? '–' })),
    { key: 'size', title: t('size'), isNumber: true, cell: ({ size }) => <Bytes value={size} /> },
    {
      key: 'published',
      title: t('published'),
      cell: ({ published_at }) => <Time value={published_at} detail="day" />,
    },
  ];
  return <DataTable label={t('title')} columns={columns} rows={models} keyOf={({ slug }) => slug} />;
}

/** The models that can be downloaded. The filter is in the address, so that it can be sent to others. */
export function PackagesPage() {
  const t = usePackagesTexts();
  const query = useQuery(modelsQuery(useConsoleApi()));
  const filter: ModelFilter = useSearch({ strict: false });
  const navigate = useNavigate();
  const setFilter = (search: ModelFilter) => void navigate({ to: '/packages', search, replace: true });
  return (
    <Page title={t('title')} description={t('description')}>
      <QueryState
        query={query}
        isEmpty={(models) => models.length === 0}
        empty={
          <EmptyState
            title={t('empty.title')}
            action={
              <Button component={Link} to="/models" variant="default">
                {t('models.link')}
              </Button>
            }
          >
            {t('empty.text')}
          </EmptyState>
        }
      >
        {(models) => {
          const found = filterModels(models, filter);
          return (
            <>
              <ModelFilterForm models={models} filter={filter} onChange={setFilter} />
              <Text role="status" size="sm" c="dimmed">
                {t('count', { count: found.length })}
              </Text>
              {found.length > 0 ? (
                <ModelTable models={found} />
              ) : (
                <EmptyState
                  title={t('nothing.title')}
                  action={
                    <Button variant="default" onClick={() => setFilter({})}>
                      {t('nothing.reset')}
                    </Button>
                  }
                >
                  {t('nothing.text')}
                </EmptyState>
              )}
            </>
          );
        }}
      </QueryState>
    </Page>
  );
}

interface Props {
  models: Model[];
  filter: ModelFilter;
  onChange: (filter: ModelFilter) => void;
}

/** Search, facts and order. A fact that no model has is not offered. */
function ModelFilterForm({ models, filter, onChange }: Props) {
  const t = usePackagesTexts();
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
