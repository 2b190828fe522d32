import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { useTimeZone } from '../../time/time-zone-context';
import { withoutGaps } from '../usage/usage-search';
import { RequestFilters } from './request-filters';
import { requestsQuery } from './request-queries';
import { type RequestSearch } from './request-search';
import { RequestTable } from './request-table';
import { useRequestTexts } from './texts/request-texts';

export function RequestsPage() {
  const t = useRequestTexts();
  const search = useSearch({ from: '/console/requests' });
  const navigate = useNavigate();
  const { timeZone } = useTimeZone();
  const query = useInfiniteQuery(requestsQuery(useConsoleApi(), search, timeZone));
  const goTo = (next: RequestSearch) => void navigate({ to: '/requests', search: next, replace: true });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title={t('title')} description={t('description')}>
      <RequestFilters search={search} onChange={(change) => goTo(withoutGaps({ ...search, ...change }))} />
      <QueryState
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={
          isFiltered ? (
            <EmptyState
              title={t('nothing.title')}
              action={
                <Button variant="default" onClick={() => goTo({})}>
                  {t('clear')}
                </Button>
              }
            >
              {t('nothing.text')}
            </EmptyState>
          ) : (
            <EmptyState
              title={t('empty.title')}
              action={
                <Button component={Link} to="/overview">
                  {t('empty.action')}
                </Button>
              }
            >
              {t('empty.text')}
            </EmptyState>
          )
        }
      >
        {(requests) => (
          <RequestTable
            requests={requests}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
    </Page>
  );
}
