import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../../api/console-api';
import { EmptyState } from '../../../components/empty-state';
import { QueryState } from '../../../components/query-state';
import { TransactionTable } from '../../wallet/transaction-table';
import { lastTransactionsQuery } from '../account-queries';
import { useAdminAccountTexts } from '../texts/admin-account-texts';

export function AccountTransactions({ accountId }: { accountId: string }) {
  const t = useAdminAccountTexts();
  const query = useQuery(lastTransactionsQuery(useConsoleApi(), accountId));
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('transactions')}</Title>
      <QueryState
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={<EmptyState title={t('transactions.empty.title')}>{t('transactions.empty.text')}</EmptyState>}
      >
        {(rows) => (
          <TransactionTable label={t('transactions')} transactions={rows} payments="/admin/payments" />
        )}
      </QueryState>
    </Stack>
  );
}
