import { Button, Group, Paper, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Download, Search } from 'lucide-react';
import { type SubmitEvent, useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { DayField } from '../../components/day-field';
import { downloadText } from '../../components/csv-button';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Time } from '../../time/time';
import { TimeZoneContextProvider, useTimeZone } from '../../time/time-zone-context';
import { CallFilters, Choice } from '../usage/filters';
import classes from '../usage/filters.module.css';
import { STATUSES, type RequestSearch } from '../usage/request-search';
import { withoutGaps } from '../usage/usage-search';
import { REQUESTS_FILE, requestsQuery, useRequestsCsv } from './request-queries';
import { useRequestTexts } from './request-texts';
import { RequestTable } from './request-view';

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
    <TimeZoneContextProvider value={{ ...zones, timeZone }}>
      <Page
        title={t('title')}
        description={t('description')}
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
        <RequestFinder onName={(client_request_id) => goTo(withoutGaps({ ...search, client_request_id }))} />
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
            <RequestTable
              label={t('title')}
              pathOf={(id) => `/requests/${id}`}
              requests={requests}
              onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
              isLoadingMore={query.isFetchingNextPage}
            />
          )}
        </QueryState>
        {query.data?.archivedUntil && (
          <Text c="dimmed" size="sm">
            {t('archived')} <Time value={query.data.archivedUntil} detail="day" />
          </Text>
        )}
      </Page>
    </TimeZoneContextProvider>
  );
}

/** Opens a request by its id, or lists those that a program has named so. */
function RequestFinder({ onName }: { onName: (clientRequestId: string) => void }) {
  const t = useRequestTexts();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const requestId = text.trim();
  const find = (event: SubmitEvent) => {
    event.preventDefault();
    if (IS_ID.test(requestId)) void navigate({ to: '/requests/$requestId', params: { requestId } });
    else if (requestId) onName(requestId);
  };
  return (
    <form onSubmit={find} role="search" aria-label={t('find')}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label={t('find.id')}
          placeholder="req_…"
          leftSection={<Search size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          spellCheck={false}
          autoComplete="off"
          flex="1"
          maw="28rem"
        />
        <Button type="submit" variant="default">
          {t('find.do')}
        </Button>
      </Group>
    </form>
  );
}

/** What the platform names requests; programs may name theirs otherwise. */
const IS_ID = /^(req|trn)_[0-9A-Za-z]{22}$/;

interface Props {
  search: RequestSearch;
  onChange: (change: { [Name in keyof RequestSearch]?: RequestSearch[Name] | undefined }) => void;
}

function RequestFilters({ search, onChange }: Props) {
  const t = useRequestTexts();
  const dayField = (name: 'from' | 'to') => (
    <DayField
      label={t(name)}
      value={search[name] ?? ''}
      onChange={(day) => onChange({ [name]: day || undefined })}
      isClearable
    />
  );
  return (
    <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('title')}>
      {dayField('from')}
      {dayField('to')}
      <CallFilters filter={search} onChange={onChange} />
      {search.client_request_id !== undefined && (
        <TextInput
          label={t('clientId')}
          value={search.client_request_id}
          onChange={(event) => onChange({ client_request_id: event.currentTarget.value || undefined })}
          spellCheck={false}
          autoComplete="off"
        />
      )}
      <Choice
        label={t('column.outcome')}
        value={search.status ?? ''}
        options={[
          { value: '', label: t('outcome.all') },
          ...STATUSES.map((status) => ({ value: status, label: t(`outcome.${status}`) })),
        ]}
        onChoose={(status) => onChange({ status: status === '' ? undefined : status })}
      />
    </Paper>
  );
}
