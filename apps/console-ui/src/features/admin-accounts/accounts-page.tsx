import { Anchor, Badge, Button, Group, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
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
import { type Account, accountsQuery } from './account-queries';
import { useAdminAccountTexts } from './admin-account-texts';

const MAX_SEARCH_CHARS = 254;

export function AccountsPage() {
  const api = useConsoleApi();
  const t = useAdminAccountTexts();
  const { q } = useSearch({ from: '/console/admin/admin/accounts' });
  const navigate = useNavigate();
  const query = useInfiniteQuery(accountsQuery(api, q));
  const show = (search: { q?: string }) => void navigate({ to: '/admin/accounts', search });
  const find = (text: string) => show(text ? { q: text } : {});
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
    { key: 'role', title: t('role'), place: 'status', cell: ({ role }) => <RoleBadge role={role} /> },
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
          read={() =>
            api.GET('/api/admin/accounts', {
              ...AS_CSV,
              params: { query: q === undefined ? {} : { search: q } },
            })
          }
        />
      }
    >
      <SearchForm key={q} initial={q ?? ''} onFind={find} />
      <QueryState
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <EmptyState
            title={t('nothing.title')}
            action={
              <Button variant="default" onClick={() => show({})}>
                {t('clear')}
              </Button>
            }
          >
            {t('nothing.text')}
          </EmptyState>
        }
      >
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
    </Page>
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
