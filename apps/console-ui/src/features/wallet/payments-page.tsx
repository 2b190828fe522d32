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
import { PaymentBadge, PaymentParts } from './payment-parts';
import { type Payment, paymentsQuery } from './wallet-queries';
import { useWalletTexts } from './wallet-texts';

export function PaymentsPage() {
  const t = useWalletTexts();
  const query = useInfiniteQuery(paymentsQuery(useConsoleApi()));
  const topUpButton = (
    <Button component={Link} to="/top-up">
      {t('topUp')}
    </Button>
  );
  const columns: Column<Payment>[] = [
    {
      key: 'created',
      title: t('payment.created'),
      cell: ({ id, created_at }) => (
        <Anchor component={Link} to={`/payments/${id}`} inherit>
          <Time value={created_at} />
        </Anchor>
      ),
    },
    {
      key: 'provider',
      title: t('payment.provider'),
      place: 'more',
      cell: ({ provider }) => t(`provider.${provider}`),
    },
    {
      key: 'status',
      title: t('payment.status'),
      place: 'status',
      cell: (payment) => <PaymentBadge payment={payment} />,
    },
    {
      key: 'refunded',
      title: t('payment.refunded'),
      isNumber: true,
      cell: ({ refunded_amount: refunded, currency }) =>
        refunded.isZero ? '–' : <Amount value={refunded} currency={currency} />,
    },
    {
      key: 'amount',
      title: t('amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />,
    },
  ];
  return (
    <Page
      title={t('payments')}
      description={t('payments.description')}
      actions={query.data?.length ? topUpButton : null}
    >
      <PaymentParts />
      <QueryState
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <EmptyState title={t('payments.empty.title')} action={topUpButton}>
            {t('payments.empty.text')}
          </EmptyState>
        }
      >
        {(rows) => (
          <DataTable
            label={t('payments')}
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
