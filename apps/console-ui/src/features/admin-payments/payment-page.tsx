import { Anchor, Button, Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Amount } from '../../figures/amount';
import { Time } from '../../time/time';
import { PaymentDetails } from '../wallet/payments/payment-details';
import { useWalletTexts } from '../wallet/texts/wallet-texts';
import { type AdminPayment, anyPaymentQuery, type Refund } from './payment-queries';
import { RefundDialog } from './refund-dialog';
import { useAdminPaymentTexts } from './texts/admin-payment-texts';

export function AdminPaymentPage() {
  const t = useAdminPaymentTexts();
  const { paymentId } = useParams({ from: '/console/admin/admin/payments/$paymentId' });
  const query = useQuery(anyPaymentQuery(useConsoleApi(), paymentId));
  const [isRefunding, setIsRefunding] = useState(false);
  return (
    <Page
      title={t('payment')}
      width="narrow"
      description={
        <Anchor component={Link} to="/admin/payments" inherit>
          {t('back')}
        </Anchor>
      }
      actions={
        query.data &&
        mayBeRefunded(query.data) && <Button onClick={() => setIsRefunding(true)}>{t('refund')}</Button>
      }
    >
      <QueryState query={query}>
        {(payment) => (
          <Stack gap="lg">
            <PaymentDetails payment={payment} />
            <Group gap="lg">
              <Anchor component={Link} to={`/admin/accounts/${payment.account_id}`}>
                {t('account')} {payment.account_id}
              </Anchor>
              {payment.document_number !== null && (
                <span>
                  {t('document')}: {payment.document_number}
                </span>
              )}
            </Group>
            {payment.refunds.length > 0 && <Refunds refunds={payment.refunds} />}
            {isRefunding && <RefundDialog payment={payment} onClose={() => setIsRefunding(false)} />}
          </Stack>
        )}
      </QueryState>
    </Page>
  );
}

/** Once, unless the attempt failed. */
const mayBeRefunded = ({ status, refunds }: AdminPayment): boolean =>
  status === 'paid' && refunds.every((refund) => refund.status === 'failed');

function Refunds({ refunds }: { refunds: Refund[] }) {
  const [t, walletText] = [useAdminPaymentTexts(), useWalletTexts()];
  const columns: Column<Refund>[] = [
    { key: 'time', title: walletText('payment.created'), cell: ({ created_at: at }) => <Time value={at} /> },
    { key: 'status', title: t('status'), cell: ({ status }) => walletText(`refund.status.${status}`) },
    { key: 'reason', title: walletText('refund.reason'), cell: ({ reason }) => reason ?? '–' },
    { key: 'failure', title: t('refund.failure'), cell: ({ failure }) => failure ?? '–' },
    {
      key: 'amount',
      title: walletText('amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />,
    },
  ];
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{walletText('refunds')}</Title>
      <DataTable label={walletText('refunds')} columns={columns} rows={refunds} keyOf={({ id }) => id} />
    </Stack>
  );
}
