import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Amount } from '../../figures/amount';
import { Time } from '../../time/time';
import { useWalletTexts } from './texts/wallet-texts';
import { type Transaction, transactionsQuery } from './wallet-queries';

export function TransactionsPage() {
  const t = useWalletTexts();
  const query = useInfiniteQuery(transactionsQuery(useConsoleApi()));
  const columns: Column<Transaction>[] = [
    {
      key: 'time',
      title: t('transactions.time'),
      cell: ({ created_at }) => <Time value={created_at} />,
    },
    { key: 'type', title: t('transactions.type'), cell: ({ type }) => t(`type.${type}`) },
    { key: 'text', title: t('transactions.text'), cell: ({ description }) => description },
    {
      key: 'amount',
      title: t('amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />,
    },
  ];
  return (
    <Page title={t('transactions')} description={t('transactions.description')}>
      <QueryState
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <EmptyState
            title={t('transactions.empty.title')}
            action={
              <Button component={Link} to="/top-up">
                {t('topUp')}
              </Button>
            }
          >
            {t('transactions.empty.text')}
          </EmptyState>
        }
      >
        {(rows) => (
          <DataTable
            label={t('transactions')}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
    </Page>
  );
}
