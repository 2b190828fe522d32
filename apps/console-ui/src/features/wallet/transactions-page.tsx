import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { TransactionTable } from './transaction-table';
import { transactionsQuery } from './wallet-queries';
import { useWalletTexts } from './wallet-texts';

export function TransactionsPage() {
  const t = useWalletTexts();
  const query = useInfiniteQuery(transactionsQuery(useConsoleApi()));
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
          <TransactionTable
            label={t('transactions')}
            transactions={rows}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
    </Page>
  );
}
