import { Anchor, Button, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { FileText } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useConsoleApi } from '../../../api/console-api';
import { Page } from '../../../components/page';
import { QueryState } from '../../../components/query-state';
import { type Column } from '../../../components/table/column';
import { DataTable } from '../../../components/table/data-table';
import { Amount } from '../../../figures/amount';
import { useSite } from '../../../site/site';
import { Time } from '../../../time/time';
import {
  invoicesQuery,
  type Payment,
  paymentQuery,
  type PaymentRefund,
  useMarkSeen,
  useRefreshWallet,
} from '../wallet-queries';
import { useWalletTexts } from '../wallet-texts';
import { DownloadButton } from './download-button';
import { InvoiceForm } from './invoice-form';
import { PaymentDetails } from './payment-details';
import { PaymentProgress } from './payment-progress';
import { isLate } from './payment-state';

export function PaymentPage() {
  const t = useWalletTexts();
  const { paymentId } = useParams({ from: '/console/payments/$paymentId' });
  const query = useQuery(paymentQuery(useConsoleApi(), paymentId));
  useRefreshOnChange(query.data);
  useSeenHere(query.data);
  return (
    <Page
      title={t('payment')}
      width="narrow"
      description={
        <Anchor component={Link} to="/payments" inherit>
          {t('payments.back')}
        </Anchor>
      }
    >
      <QueryState query={query}>
        {(payment) => (
          <Stack gap="lg">
            <PaymentProgress payment={payment} />
            <PaymentDetails payment={payment} />
            {payment.refunds.length > 0 && <RefundTable payment={payment} />}
            {payment.status === 'paid' && <PaymentDocuments payment={payment} />}
          </Stack>
        )}
      </QueryState>
    </Page>
  );
}

/** The balance changes with the status and with the refunds. */
function useRefreshOnChange(payment: Payment | undefined) {
  const refresh = useRefreshWallet();
  const state = payment && `${payment.id} ${payment.status} ${payment.refunded_amount.toString()}`;
  const previous = useRef(state);
  useEffect(() => {
    if (previous.current !== undefined && state !== previous.current) refresh();
    previous.current = state;
  });
}

/** This page tells that the money came late: no banner has to. */
function useSeenHere(payment: Payment | undefined) {
  const { mutate } = useMarkSeen();
  const unseenId = payment && isLate(payment) && payment.seen_at === null ? payment.id : undefined;
  useEffect(() => {
    if (unseenId !== undefined) mutate(unseenId);
  }, [unseenId, mutate]);
}

function RefundTable({ payment }: { payment: Payment }) {
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

/** The receipt of a payment, or at the China site its invoice. */
function PaymentDocuments({ payment }: { payment: Payment }) {
  const t = useWalletTexts();
  const { region } = useSite();
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="sm" align="flex-start">
        <Title order={2}>{t('documents')}</Title>
        {region === 'cn' ? (
          <InvoiceOf payment={payment} />
        ) : (
          <DownloadButton kind="receipts" paymentId={payment.id} text={t('receipt.download')} />
        )}
      </Stack>
    </Paper>
  );
}

function InvoiceOf({ payment }: { payment: Payment }) {
  const t = useWalletTexts();
  const query = useQuery(invoicesQuery(useConsoleApi()));
  const [isOrdering, setIsOrdering] = useState(false);
  return (
    <QueryState query={query}>
      {(invoices) => {
        const invoice = invoices.find(({ payment_id: id }) => id === payment.id);
        if (invoice)
          return (
            <Stack gap="xs" align="flex-start">
              <Text size="md" fw={500}>
                {t('invoice.number', { number: invoice.number })}
              </Text>
              <Text size="sm" c="dimmed">
                {t(`invoice.status.${invoice.status}`)} · {invoice.title}
              </Text>
              <DownloadButton kind="invoices" paymentId={payment.id} text={t('invoice.download')} />
            </Stack>
          );
        return (
          <Stack gap="xs" align="flex-start">
            <Text size="md">{t('invoice.text')}</Text>
            <Button
              variant="default"
              leftSection={<FileText size={16} />}
              disabled={!payment.refunded_amount.isZero}
              onClick={() => setIsOrdering(true)}
            >
              {t('invoice.order')}
            </Button>
            {isOrdering && <InvoiceForm payments={[payment]} onClose={() => setIsOrdering(false)} />}
          </Stack>
        );
      }}
    </QueryState>
  );
}
