import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { TransactionTable } from './transaction-table';
import { transactionsQuery } from './wallet-queries';
import { useWalletTexts } from './wallet-texts';

export function TransactionsPage() {
  const api = useConsoleApi();
  const t = useWalletTexts();
  const query = useInfiniteQuery(transactionsQuery(api));
  return (
    <Page
      title={t('transactions')}
      description={t('transactions.description')}
      actions={
        <CsvButton fileName="transactions.csv" read={() => api.GET('/api/billing/transactions', AS_CSV)} />
      }
    >
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
