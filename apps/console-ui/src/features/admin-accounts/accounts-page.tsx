import { Anchor, Badge, Button, Group, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type SyntheticEvent, useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { ShortAmount } from '../../figures/short-amount';
import { Time } from '../../time/time';
import { type Account, type AccountMatch, accountSearchQuery, accountsQuery } from './account-queries';
import { useAdminAccountTexts } from './admin-account-texts';

const MAX_SEARCH_CHARS = 300;
const KEY = /^bfv[km]-/;

export function AccountsPage() {
  const api = useConsoleApi();
  const t = useAdminAccountTexts();
  const { q } = useSearch({ from: '/console/admin/admin/accounts' });
  const navigate = useNavigate();
  const query = useInfiniteQuery(accountsQuery(api));
  // A key that somebody pastes must not get into the address, which browsers and servers keep.
  const [key, setKey] = useState<string>();
  const search = key ?? q;
  const show = (search: { q?: string }) => void navigate({ to: '/admin/accounts', search });
  const find = (text: string) => {
    const isKey = KEY.test(text);
    setKey(isKey ? text : undefined);
    show(text && !isKey ? { q: text } : {});
  };
  const columns: Column<Account>[] = [
    {
      key: 'email',
      title: t('email'),
      cell: ({ id, email }) => (
        <Anchor component={Link} to={`/admin/accounts/${id}`} inherit>
          {email}
        </Anchor>
      ),
    },
    {
      key: 'role',
      title: t('role'),
      place: 'status',
      cell: (account) => <AccountBadges account={account} />,
    },
    {
      key: 'verified',
      title: t('email.verified.title'),
      cell: ({ email_verified: isVerified }) => t(isVerified ? 'email.verified' : 'email.unverified'),
    },
    {
      key: 'secondFactor',
      title: t('secondFactor'),
      cell: ({ two_factor_enabled: isOn }) => t(isOn ? 'secondFactor.on' : 'secondFactor.off'),
    },
    { key: 'created', title: t('created'), cell: ({ created_at: at }) => <Time value={at} detail="day" /> },
    {
      key: 'balance',
      title: t('balance'),
      isNumber: true,
      cell: ({ balance, currency }) => <ShortAmount value={balance} currency={currency} />,
    },
  ];
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <CsvButton
          fileName="accounts.csv"
          read={() => api.GET('/api/admin/accounts', { ...AS_CSV, params: { query: {} } })}
        />
      }
    >
      <SearchForm key={search} initial={search ?? ''} onFind={find} />
      {search !== undefined && <Matches search={search} onClear={() => find('')} />}
      {search === undefined && (
        <QueryState query={query}>
          {(accounts) => (
            <DataTable
              label={t('title')}
              columns={columns}
              rows={accounts}
              keyOf={({ id }) => id}
              onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
              isLoadingMore={query.isFetchingNextPage}
            />
          )}
        </QueryState>
      )}
    </Page>
  );
}

/** Where a page shows what was found. */
function pathOf({ kind, id, account }: AccountMatch): string {
  if (kind === 'request') return `/admin/accounts/${account.id}/requests/${id}`;
  return kind === 'payment' ? `/admin/payments/${id}` : `/admin/accounts/${account.id}`;
}

/** What the text of the search names, each with its account. */
function Matches({ search, onClear }: { search: string; onClear: () => void }) {
  const t = useAdminAccountTexts();
  const query = useQuery(accountSearchQuery(useConsoleApi(), search));
  const columns: Column<AccountMatch>[] = [
    {
      key: 'email',
      title: t('email'),
      cell: ({ account }) => (
        <Anchor component={Link} to={`/admin/accounts/${account.id}`} inherit>
          {account.email}
        </Anchor>
      ),
    },
    {
      key: 'found',
      title: t('search.found'),
      place: 'line',
      cell: (match) =>
        match.kind === 'account' ? (
          t('found.account')
        ) : (
          <>
            {t(`found.${match.kind}`)}{' '}
            <Anchor component={Link} to={pathOf(match)} inherit>
              {match.id}
            </Anchor>
          </>
        ),
    },
    {
      key: 'role',
      title: t('role'),
      place: 'status',
      cell: ({ account }) => <AccountBadges account={account} />,
    },
    {
      key: 'balance',
      title: t('balance'),
      isNumber: true,
      cell: ({ account }) => <ShortAmount value={account.balance} currency={account.currency} />,
    },
  ];
  return (
    <QueryState
      query={query}
      isEmpty={(rows) => rows.length === 0}
      empty={
        <EmptyState
          title={t('nothing.title')}
          action={
            <Button variant="default" onClick={onClear}>
              {t('clear')}
            </Button>
          }
        >
          {t('nothing.text')}
        </EmptyState>
      }
    >
      {(matches) => (
        <DataTable
          label={t('search.found')}
          columns={columns}
          rows={matches}
          keyOf={({ kind, id }) => `${kind} ${id}`}
        />
      )}
    </QueryState>
  );
}

function AccountBadges({ account }: { account: Account }) {
  const t = useAdminAccountTexts();
  return (
    <Group gap={4}>
      <RoleBadge role={account.role} />
      {account.suspension && (
        <Badge color="red" variant="light" tt="none" miw="max-content">
          {t('suspended')}
        </Badge>
      )}
    </Group>
  );
}

function RoleBadge({ role }: Pick<Account, 'role'>) {
  const t = useAdminAccountTexts();
  return (
    <Badge variant={role === 'user' ? 'default' : 'light'} tt="none" fw={500} miw="max-content">
      {t(`role.${role}`)}
    </Badge>
  );
}

function SearchForm({ initial, onFind }: { initial: string; onFind: (text: string) => void }) {
  const t = useAdminAccountTexts();
  const [text, setText] = useState(initial);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onFind(text.trim());
  };
  return (
    <form onSubmit={submit} role="search">
      <Group align="flex-end" gap="xs">
        <TextInput
          type="search"
          label={t('search')}
          description={t('search.hint')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={MAX_SEARCH_CHARS}
          flex="1 1 14rem"
          maw="32rem"
        />
        <Button type="submit" variant="default">
          {t('search.submit')}
        </Button>
      </Group>
    </form>
  );
}
