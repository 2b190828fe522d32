import { Anchor, Button, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Amount } from '../../figures/figure-text';
import { useLanguage } from '../../language/language';
import { useSite } from '../../api/site';
import { formatTime } from '../../time/format-time';
import { Time } from '../../time/time';
import { useTimeZone } from '../../time/time-zone-context';
import { DownloadButton, InvoiceForm } from './payment-documents';
import { PaymentBadge } from './payment-parts';
import {
  type Invoice,
  invoicePagesQuery,
  invoicesQuery,
  type Payment,
  paymentsQuery,
} from './wallet-queries';
import { useWalletTexts } from './wallet-texts';

/** The China site has invoices, the international one has receipts. */
export function DocumentsPage() {
  const { region } = useSite();
  return region === 'cn' ? <InvoicesPage /> : <ReceiptsPage />;
}

/** The payments that have a receipt: paid ones by card. */
function ReceiptsPage() {
  const t = useWalletTexts();
  const { language } = useLanguage();
  const { timeZone } = useTimeZone();
  const query = useInfiniteQuery({
    ...paymentsQuery(useConsoleApi()),
    select: ({ pages }) =>
      pages
        .flatMap(({ payments }) => payments)
        .filter(({ status, provider }) => status === 'paid' && provider === 'card_provider'),
  });
  const timeOf = ({ paid_at: paidAt, created_at }: Payment) => paidAt ?? created_at;
  const columns: Column<Payment>[] = [
    {
      key: 'paid',
      title: t('payment.paidAt'),
      cell: (payment) => (
        <Anchor component={Link} to={`/payments/${payment.id}`} inherit>
          <Time value={timeOf(payment)} />
        </Anchor>
      ),
    },
    {
      key: 'status',
      title: t('payment.status'),
      place: 'status',
      cell: (payment) => <PaymentBadge payment={payment} />,
    },
    {
      key: 'amount',
      title: t('amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />,
    },
    {
      key: 'download',
      title: t('download'),
      isTitleHidden: true,
      cell: (payment) => (
        <DownloadButton
          kind="receipts"
          size="xs"
          paymentId={payment.id}
          text={t('download')}
          label={t('receipt.downloadOf', { time: formatTime(timeOf(payment), { language, timeZone }) })}
        />
      ),
    },
  ];
  return (
    <Page title={t('receipts')} description={t('receipts.description')}>
      <QueryState
        query={query}
        isEmpty={(rows) => rows.length === 0 && !query.hasNextPage}
        empty={
          <EmptyState
            title={t('receipts.empty.title')}
            action={
              <Button component={Link} to="/top-up">
                {t('topUp')}
              </Button>
            }
          >
            {t('receipts.empty.text')}
          </EmptyState>
        }
      >
        {(rows) => (
          <DataTable
            label={t('receipts')}
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

function InvoicesPage() {
  const t = useWalletTexts();
  const query = useInfiniteQuery(invoicePagesQuery(useConsoleApi()));
  const payments = usePaymentsWithoutInvoice();
  const [isOrdering, setIsOrdering] = useState(false);
  const order = (
    <Button disabled={!payments?.length} onClick={() => setIsOrdering(true)}>
      {t('invoice.order')}
    </Button>
  );
  const columns: Column<Invoice>[] = [
    {
      key: 'number',
      title: t('invoices.number'),
      cell: ({ number, payment_id: paymentId }) => (
        <Anchor component={Link} to={`/payments/${paymentId}`} inherit>
          {number}
        </Anchor>
      ),
    },
    { key: 'title', title: t('invoices.buyer'), cell: ({ title }) => title },
    { key: 'issued', title: t('invoices.issued'), cell: ({ issued_at }) => <Time value={issued_at} /> },
    {
      key: 'status',
      title: t('invoices.file'),
      place: 'status',
      cell: ({ status }) => t(`invoice.status.${status}`),
    },
    {
      key: 'amount',
      title: t('amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />,
    },
    {
      key: 'download',
      title: t('download'),
      isTitleHidden: true,
      cell: ({ number, payment_id: paymentId }) => (
        <DownloadButton
          kind="invoices"
          size="xs"
          paymentId={paymentId}
          text={t('download')}
          label={t('invoice.downloadOf', { number })}
        />
      ),
    },
  ];
  return (
    <Page
      title={t('invoices')}
      description={t('invoices.description')}
      actions={query.data?.length ? order : null}
    >
      <QueryState
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <EmptyState
            title={t('invoices.empty.title')}
            action={
              payments?.length === 0 ? (
                <Button component={Link} to="/top-up">
                  {t('topUp')}
                </Button>
              ) : (
                order
              )
            }
          >
            {t('invoices.empty.text')}
          </EmptyState>
        }
      >
        {(rows) => (
          <>
            {payments?.length === 0 && (
              <Text size="sm" c="dimmed">
                {t('invoice.payment.none')}
              </Text>
            )}
            <DataTable
              label={t('invoices')}
              columns={columns}
              rows={rows}
              keyOf={({ id }) => id}
              onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
              isLoadingMore={query.isFetchingNextPage}
            />
          </>
        )}
      </QueryState>
      {isOrdering && payments && <InvoiceForm payments={payments} onClose={() => setIsOrdering(false)} />}
    </Page>
  );
}

/** Of the newest payments those that may get an invoice; older ones are ordered at the payment. */
function usePaymentsWithoutInvoice() {
  const api = useConsoleApi();
  const { data: payments } = useInfiniteQuery(paymentsQuery(api));
  const { data: invoices } = useQuery(invoicesQuery(api));
  const taken = new Set(invoices?.map(({ payment_id: id }) => id));
  return (
    invoices &&
    payments?.filter(
      ({ id, status, refunds }) =>
        status === 'paid' && refunds.every((refund) => refund.status === 'failed') && !taken.has(id),
    )
  );
}
