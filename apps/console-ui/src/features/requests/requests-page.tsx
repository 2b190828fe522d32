import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useConsoleApi } from '../../api/console-api';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/errors/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { downloadText } from '../../components/download-text';
import { Time } from '../../time/time';
import { TimeZoneContextProvider, useTimeZone } from '../../time/time-zone-context';
import { withoutGaps } from '../usage/usage-search';
import { RequestFilters } from './request-filters';
import { RequestFinder } from './request-finder';
import { REQUESTS_FILE, requestsQuery, useRequestsCsv } from './request-queries';
import { type RequestSearch } from './request-search';
import { RequestTable } from './request-table';
import { useRequestTexts } from './texts/request-texts';

export function RequestsPage() {
  const t = useRequestTexts();
  const search = useSearch({ from: '/console/requests' });
  const navigate = useNavigate();
  const zones = useTimeZone();
  const timeZone = search.zone ?? zones.timeZone;
  const csv = useRequestsCsv(search, timeZone);
  const query = useInfiniteQuery(requestsQuery(useConsoleApi(), search, timeZone));
  const goTo = (next: RequestSearch) => void navigate({ to: '/requests', search: next, replace: true });
  const download = () =>
    csv.mutate(undefined, {
      onSuccess: (text) => downloadText(text, { fileName: REQUESTS_FILE, type: 'text/csv' }),
    });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page
      title={t('title')}
      description={`${t('description')} ${t('zone', { zone: timeZone })}`}
      actions={
        <Button
          variant="default"
          leftSection={<Download size={16} />}
          disabled={!query.data?.requests.length}
          loading={csv.isPending}
          onClick={download}
        >
          {t('csv')}
        </Button>
      }
    >
      {csv.error && <ErrorNotice error={csv.error} onRetry={download} />}
      <RequestFinder />
      <RequestFilters search={search} onChange={(change) => goTo(withoutGaps({ ...search, ...change }))} />
      <QueryState
        query={query}
        isEmpty={({ requests }) => requests.length === 0}
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
        {({ requests }) => (
          <TimeZoneContextProvider value={{ ...zones, timeZone }}>
            <RequestTable
              requests={requests}
              onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
              isLoadingMore={query.isFetchingNextPage}
            />
          </TimeZoneContextProvider>
        )}
      </QueryState>
      {query.data?.archivedUntil && (
        <Text c="dimmed" size="sm">
          {t('archived')} <Time value={query.data.archivedUntil} detail="day" />
        </Text>
      )}
    </Page>
  );
}
