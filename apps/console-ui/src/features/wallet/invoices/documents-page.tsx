import { Anchor, Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../../api/console-api';
import { EmptyState } from '../../../components/empty-state';
import { Page } from '../../../components/page';
import { QueryState } from '../../../components/query-state';
import { type Column } from '../../../components/table/column';
import { DataTable } from '../../../components/table/data-table';
import { Amount } from '../../../figures/amount';
import { useLanguage } from '../../../language/language-context';
import { useSite } from '../../../site/site';
import { formatTime } from '../../../time/format-time';
import { Time } from '../../../time/time';
import { useTimeZone } from '../../../time/time-zone-context';
import { DownloadButton } from '../payments/download-button';
import { PaymentBadge } from '../payments/payment-badge';
import { type Payment, paymentsQuery } from '../wallet-queries';
import { useWalletTexts } from '../wallet-texts';
import { InvoicesPage } from './invoices-page';

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
    { key: 'status', title: t('payment.status'), cell: (payment) => <PaymentBadge payment={payment} /> },
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
