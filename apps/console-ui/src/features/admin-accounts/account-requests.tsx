import { Anchor, Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Time } from '../../time/time';
import { TimeZoneContextProvider, useTimeZone } from '../../time/time-zone-context';
import { useRequestTexts } from '../requests/request-texts';
import { RequestTable, RequestView } from '../requests/request-view';
import { type RequestSearch } from '../usage/request-search';
import { filterOf } from '../requests/request-queries';
import { accountQuery, accountRequestQuery, accountRequestsQuery } from './account-queries';
import { useAdminAccountTexts } from './admin-account-texts';

const LIST = '/console/admin/admin/accounts/$accountId/requests';
const DETAIL = '/console/admin/admin/accounts/$accountId/requests/$requestId';

/** The calls of a customer, such as those that a row of its usage adds up. */
export function AccountRequestsPage() {
  const [t, requestText] = [useAdminAccountTexts(), useRequestTexts()];
  const api = useConsoleApi();
  const { accountId } = useParams({ from: LIST });
  const search: RequestSearch = useSearch({ from: LIST });
  const navigate = useNavigate();
  const zones = useTimeZone();
  const timeZone = search.zone ?? zones.timeZone;
  const { data: account } = useQuery(accountQuery(api, accountId));
  const query = useInfiniteQuery(accountRequestsQuery(api, accountId, search, timeZone));
  const { from, to, model, key, entrypoint, status, client_request_id: clientId } = search;
  const days = from === to ? from : [from, to].filter(Boolean).join(' – ');
  const limits = [days, model, key, entrypoint, clientId, status && requestText(`outcome.${status}`)].filter(
    Boolean,
  );
  const showAll = () =>
    void navigate({ to: '/admin/accounts/$accountId/requests', params: { accountId }, search: {} });
  const all = (
    <Button variant="default" size="xs" onClick={showAll}>
      {t('requests.all')}
    </Button>
  );
  return (
    <TimeZoneContextProvider value={{ ...zones, timeZone }}>
      <Page
        title={t('requests', { name: account?.email ?? t('account') })}
        description={<BackToAccount accountId={accountId} />}
        actions={
          <CsvButton
            fileName="requests.csv"
            read={() =>
              api.GET('/api/admin/accounts/{id}/requests', {
                ...AS_CSV,
                params: { path: { id: accountId }, query: filterOf(search, timeZone) },
              })
            }
          />
        }
      >
        {limits.length > 0 && (
          <Group gap="sm">
            <Text size="md">{t('usage.limited', { what: limits.join(', ') })}</Text>
            {all}
          </Group>
        )}
        <QueryState
          query={query}
          isEmpty={({ requests }) => requests.length === 0}
          empty={<EmptyState title={t('requests.empty.title')}>{t('requests.empty.text')}</EmptyState>}
        >
          {({ requests }) => (
            <RequestTable
              label={t('requests.list')}
              pathOf={(id) => `/admin/accounts/${accountId}/requests/${id}`}
              requests={requests}
              onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
              isLoadingMore={query.isFetchingNextPage}
            />
          )}
        </QueryState>
        {query.data?.archivedUntil && (
          <Text c="dimmed" size="sm">
            {requestText('archived')} <Time value={query.data.archivedUntil} detail="day" />
          </Text>
        )}
      </Page>
    </TimeZoneContextProvider>
  );
}

function BackToAccount({ accountId }: { accountId: string }) {
  const t = useAdminAccountTexts();
  return (
    <Anchor component={Link} to={`/admin/accounts/${accountId}`} inherit underline="always">
      {t('requests.back')}
    </Anchor>
  );
}

/** One call of a customer with what its cost is made of. */
export function AccountRequestPage() {
  const requestText = useRequestTexts();
  const api = useConsoleApi();
  const { accountId, requestId } = useParams({ from: DETAIL });
  const { data: account } = useQuery(accountQuery(api, accountId));
  const query = useQuery(accountRequestQuery(api, accountId, requestId));
  return (
    <Page
      title={requestText('request')}
      description={
        <>
          {account?.email ?? accountId} · <BackToAccount accountId={accountId} />
        </>
      }
    >
      <QueryState query={query}>{(request) => <RequestView request={request} />}</QueryState>
    </Page>
  );
}
