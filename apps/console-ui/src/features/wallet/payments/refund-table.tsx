import { Stack, Title } from '@mantine/core';
import { type Column } from '../../../components/table/column';
import { DataTable } from '../../../components/table/data-table';
import { Amount } from '../../../figures/amount';
import { Time } from '../../../time/time';
import { useWalletTexts } from '../texts/wallet-texts';
import { type Payment, type PaymentRefund } from '../wallet-queries';

export function RefundTable({ payment }: { payment: Payment }) {
  const t = useWalletTexts();
  const columns: Column<PaymentRefund>[] = [
    { key: 'time', title: t('payment.created'), cell: ({ created_at }) => <Time value={created_at} /> },
    { key: 'status', title: t('payment.status'), cell: ({ status }) => t(`refund.status.${status}`) },
    { key: 'reason', title: t('refund.reason'), cell: ({ reason }) => reason ?? '–' },
    {
      key: 'amount',
      title: t('amount'),
      isNumber: true,
      cell: ({ amount }) => <Amount value={amount} currency={payment.currency} />,
    },
  ];
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('refunds')}</Title>
      <DataTable label={t('refunds')} columns={columns} rows={payment.refunds} keyOf={({ id }) => id} />
    </Stack>
  );
}
