import { Anchor, Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Amount } from '../../figures/figure-text';
import { Time } from '../../time/time';
import { PaymentParts } from './payment-parts';
import { type OwnRefund, refundsQuery } from './wallet-queries';
import { useWalletTexts } from './wallet-texts';

export function RefundsPage() {
  const t = useWalletTexts();
  const query = useInfiniteQuery(refundsQuery(useConsoleApi()));
  const columns: Column<OwnRefund>[] = [
    { key: 'created', title: t('refund.created'), cell: ({ created_at: at }) => <Time value={at} /> },
    {
      key: 'payment',
      title: t('payment'),
      cell: ({ payment_id: id }) => (
        <Anchor component={Link} to={`/payments/${id}`} inherit>
          {id}
        </Anchor>
      ),
    },
    {
      key: 'amount',
      title: t('amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />,
    },
    {
      key: 'status',
      title: t('payment.status'),
      place: 'status',
      cell: ({ status }) => t(`refund.status.${status}`),
    },
    {
      key: 'ended',
      title: t('refund.ended'),
      cell: ({ ended_at: at }) => (at === null ? '–' : <Time value={at} />),
    },
    { key: 'reason', title: t('refund.reason'), cell: ({ reason }) => reason ?? '–' },
  ];
  return (
    <Page title={t('refunds')} description={t('refunds.description')}>
      <PaymentParts />
      <QueryState
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <EmptyState
            title={t('refunds.empty.title')}
            action={
              <Button component={Link} to="/payments" variant="default">
                {t('payments.back')}
              </Button>
            }
          >
            {t('refunds.empty.text')}
          </EmptyState>
        }
      >
        {(rows) => (
          <DataTable
            label={t('refunds')}
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
