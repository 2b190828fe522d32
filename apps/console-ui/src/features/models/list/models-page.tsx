import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useConsoleApi } from '../../../api/console-api';
import { EmptyState } from '../../../components/empty-state';
import { Page } from '../../../components/page';
import { QueryState } from '../../../components/query-state';
import { modelsQuery } from '../model-queries';
import { useModelsTexts } from '../texts/models-texts';
import { filterModels, type ModelFilter } from './model-filter';
import { ModelFilterForm } from './model-filter-form';
import { ModelTable } from './model-table';

/** The models that can be downloaded. The filter is in the address, so that it can be sent to others. */
export function ModelsPage() {
  const t = useModelsTexts();
  const query = useQuery(modelsQuery(useConsoleApi()));
  const filter: ModelFilter = useSearch({ strict: false });
  const navigate = useNavigate();
  const setFilter = (search: ModelFilter) => void navigate({ to: '/models', search, replace: true });
  return (
    <Page title={t('title')} description={t('description')}>
      <QueryState
        query={query}
        isEmpty={(models) => models.length === 0}
        empty={
          <EmptyState
            title={t('empty.title')}
            action={
              <Button component={Link} to="/pricing" variant="default">
                {t('pricing.link')}
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
