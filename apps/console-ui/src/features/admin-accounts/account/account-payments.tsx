import { Anchor, Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../../api/console-api';
import { EmptyState } from '../../../components/empty-state';
import { QueryState } from '../../../components/query-state';
import { AdminPaymentTable } from '../../admin-payments/payment-table';
import { lastPaymentsQuery } from '../account-queries';
import { useAdminAccountTexts } from '../texts/admin-account-texts';

export function AccountPayments({ accountId }: { accountId: string }) {
  const t = useAdminAccountTexts();
  const query = useQuery(lastPaymentsQuery(useConsoleApi(), accountId));
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between" align="baseline">
        <Title order={2}>{t('payments')}</Title>
        <Anchor component={Link} to={`/admin/payments?account=${accountId}`}>
          {t('payments.all')}
        </Anchor>
      </Group>
      <QueryState
        query={query}
        isEmpty={(payments) => payments.length === 0}
        empty={<EmptyState title={t('payments.empty.title')}>{t('payments.empty.text')}</EmptyState>}
      >
        {(payments) => <AdminPaymentTable label={t('payments')} payments={payments} hasAccount={false} />}
      </QueryState>
    </Stack>
  );
}
