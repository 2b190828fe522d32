import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { CopyButton } from '../../components/copy-button';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Fact, Facts } from '../../components/facts';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Amount, Quantity } from '../../figures/figure-text';
import { ShortAmount } from '../../figures/short-amount';
import { Time } from '../../time/time';
import { TimeZoneContextProvider, useTimeZone } from '../../time/time-zone-context';
import { CostExplanation, OutcomeBadge } from '../requests/request-parts';
import { type LoggedRequest } from '../requests/request-queries';
import { useRequestTexts } from '../requests/request-texts';
import { useEntrypointName } from '../usage/usage-queries';
import { accountQuery, accountRequestQuery, accountRequestsQuery } from './account-queries';
import { useAdminAccountTexts } from './admin-account-texts';

const LIST = '/console/admin/admin/accounts/$accountId/requests';
const DETAIL = '/console/admin/admin/accounts/$accountId/requests/$requestId';

/** The calls of a customer, such as those that a row of its usage adds up. */
export function AccountRequestsPage() {
  const [t, requestText] = [useAdminAccountTexts(), useRequestTexts()];
  const api = useConsoleApi();
  const { accountId } = useParams({ from: LIST });
  const search = useSearch({ from: LIST });
  const navigate = useNavigate();
  const zones = useTimeZone();
  const timeZone = search.zone ?? zones.timeZone;
  const { data: account } = useQuery(accountQuery(api, accountId));
  const query = useInfiniteQuery(accountRequestsQuery(api, accountId, search, timeZone));
  const { from, to, model, key, entrypoint, outcome } = search;
  const days = from === to ? from : [from, to].filter(Boolean).join(' – ');
  const limits = [days, model, key, entrypoint, outcome].filter(Boolean);
  const showAll = () =>
    void navigate({ to: '/admin/accounts/$accountId/requests', params: { accountId }, search: {} });
  const all = (
    <Button variant="default" size="xs" onClick={showAll}>
      {t('requests.all')}
    </Button>
  );
  return (
    <Page
      title={t('requests', { name: account?.email ?? t('account') })}
      description={<BackToAccount accountId={accountId} />}
    >
      <TimeZoneContextProvider value={{ ...zones, timeZone }}>
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
              accountId={accountId}
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
      </TimeZoneContextProvider>
    </Page>
  );
}

function BackToAccount({ accountId }: { accountId: string }) {
  const t = useAdminAccountTexts();
  return (
    <Anchor component={Link} to={`/admin/accounts/${accountId}`} inherit>
      {t('requests.back')}
    </Anchor>
  );
}

interface Props {
  accountId: string;
  requests: LoggedRequest[];
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

function RequestTable({ accountId, requests, onMore, isLoadingMore }: Props) {
  const [t, requestText] = [useAdminAccountTexts(), useRequestTexts()];
  const entrypointName = useEntrypointName();
  const columns: Column<LoggedRequest>[] = [
    {
      key: 'time',
      title: requestText('column.time'),
      cell: ({ id, created_at: at }) => (
        <Anchor component={Link} to={`/admin/accounts/${accountId}/requests/${id}`} inherit>
          <Time value={at} detail="second" />
        </Anchor>
      ),
    },
    { key: 'model', title: requestText('column.model'), cell: ({ model }) => <Code>{model}</Code> },
    {
      key: 'key',
      title: requestText('column.key'),
      cell: ({ api_key: key }) => key?.name ?? requestText('noKey'),
    },
    {
      key: 'source',
      title: requestText('column.source'),
      cell: ({ entrypoint }) => entrypointName(entrypoint),
    },
    {
      key: 'input',
      title: requestText('column.input'),
      isNumber: true,
      cell: ({ input_tokens: tokens }) => <Quantity value={tokens} />,
    },
    {
      key: 'output',
      title: requestText('column.output'),
      isNumber: true,
      cell: ({ output_tokens: tokens }) => <Quantity value={tokens} />,
    },
    {
      key: 'cost',
      title: requestText('column.cost'),
      isNumber: true,
      cell: ({ cost, currency }) => <ShortAmount value={cost} currency={currency} />,
    },
    {
      key: 'outcome',
      title: requestText('column.outcome'),
      cell: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
    },
  ];
  return (
    <DataTable
      label={t('requests.list')}
      columns={columns}
      rows={requests}
      keyOf={({ id }) => id}
      onMore={onMore}
      isLoadingMore={isLoadingMore}
    />
  );
}

/** One call of a customer with what its cost is made of. */
export function AccountRequestPage() {
  const [t, requestText] = [useAdminAccountTexts(), useRequestTexts()];
  const api = useConsoleApi();
  const entrypointName = useEntrypointName();
  const { accountId, requestId } = useParams({ from: DETAIL });
  const { data: account } = useQuery(accountQuery(api, accountId));
  const query = useQuery(accountRequestQuery(api, accountId, requestId));
  return (
    <Page title={requestText('request')} description={<BackToAccount accountId={accountId} />}>
      <QueryState query={query}>
        {(request) => (
          <Stack gap="lg">
            <Facts>
              <Fact name={t('account')}>{account?.email ?? accountId}</Fact>
              <Fact name={requestText('column.cost')}>
                <Amount value={request.cost} currency={request.currency} />
              </Fact>
              <Fact name={requestText('column.outcome')}>
                <OutcomeBadge outcome={request.outcome} />
              </Fact>
              <Fact name={requestText('column.model')}>
                <Code>{request.model}</Code>
              </Fact>
              <Fact name={requestText('column.key')}>
                {request.api_key
                  ? `${request.api_key.name} (${request.api_key.prefix}…)`
                  : requestText('noKey')}
              </Fact>
              <Fact name={requestText('column.source')}>{entrypointName(request.entrypoint)}</Fact>
              <Fact name={requestText('started')}>
                <Time value={request.started_at} detail="second" />
              </Fact>
              <Fact name={requestText('settled')}>
                <Time value={request.created_at} detail="second" />
              </Fact>
              <Fact name={requestText('id')}>
                <Group gap={4} wrap="nowrap">
                  <Code>{request.id}</Code>
                  <CopyButton value={request.id} />
                </Group>
              </Fact>
            </Facts>
            {request.outcome !== 'refused' && <CostExplanation request={request} />}
          </Stack>
        )}
      </QueryState>
    </Page>
  );
}
