import { Anchor, Button, Paper } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Amount } from '../../figures/figure-text';
import { Time } from '../../time/time';
import { Choice } from '../usage/filters';
import classes from '../usage/filters.module.css';
import { withoutGaps } from '../usage/usage-search';
import { AccountField, AccountLink, useAccountEmails } from '../admin-accounts/account-link';
import { useWalletTexts } from '../wallet/wallet-texts';
import { useAdminPaymentTexts } from './admin-payment-texts';
import { AdminPaymentParts } from './payment-parts';
import { allRefundsQuery, type ListedRefund } from './payment-queries';
import { REFUND_STATUSES, type RefundSearch } from './payment-search';

export function AdminRefundsPage() {
  const api = useConsoleApi();
  const [t, walletText] = [useAdminPaymentTexts(), useWalletTexts()];
  const search = useSearch({ from: '/console/admin/admin/payments/refunds' });
  const navigate = useNavigate();
  const query = useInfiniteQuery(allRefundsQuery(api, search));
  const goTo = (next: RefundSearch) =>
    void navigate({ to: '/admin/payments/refunds', search: next, replace: true });
  const change = (changed: { [Name in keyof RefundSearch]?: RefundSearch[Name] | undefined }) =>
    goTo(withoutGaps({ ...search, ...changed }));
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page
      title={t('refunds.title')}
      description={t('refunds.description')}
      actions={
        <CsvButton
          fileName="refunds.csv"
          read={() =>
            api.GET('/api/admin/billing/refunds', {
              ...AS_CSV,
              params: { query: withoutGaps({ account_id: search.account, status: search.status }) },
            })
          }
        />
      }
    >
      <AdminPaymentParts />
      <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('refunds.title')}>
        <AccountField account={search.account} onChange={(account) => change({ account })} />
        <Choice
          label={t('status')}
          value={search.status ?? ''}
          options={[
            { value: '', label: t('all') },
            ...REFUND_STATUSES.map((value) => ({ value, label: walletText(`refund.status.${value}`) })),
          ]}
          onChoose={(value) => change({ status: value || undefined })}
        />
      </Paper>
      <QueryState
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={
          isFiltered ? (
            <EmptyState
              title={t('refunds.empty.title')}
              action={
                <Button variant="default" onClick={() => goTo({})}>
                  {t('refunds.clear')}
                </Button>
              }
            >
              {t('refunds.empty.text')}
            </EmptyState>
          ) : (
            <EmptyState title={t('refunds.none.title')}>{t('refunds.none.text')}</EmptyState>
          )
        }
      >
        {(refunds) => (
          <AdminRefundTable
            label={t('refunds.title')}
            refunds={refunds}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
    </Page>
  );
}

interface Props {
  label: string;
  refunds: ListedRefund[];
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

/** Refunds of any account, each with a link to its payment. */
function AdminRefundTable({ label, refunds, onMore, isLoadingMore }: Props) {
  const [t, walletText] = [useAdminPaymentTexts(), useWalletTexts()];
  const emails = useAccountEmails(refunds.map(({ account_id: id }) => id));
  const columns: Column<ListedRefund>[] = [
    {
      key: 'created',
      title: walletText('refund.created'),
      cell: ({ payment_id: id, created_at: at }) => (
        <Anchor component={Link} to={`/admin/payments/${id}`} inherit>
          <Time value={at} />
        </Anchor>
      ),
    },
    {
      key: 'account',
      title: t('account'),
      place: 'line',
      cell: ({ account_id: id }) => <AccountLink id={id} emails={emails} />,
    },
    {
      key: 'amount',
      title: walletText('amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />,
    },
    {
      key: 'status',
      title: t('status'),
      place: 'status',
      cell: ({ status }) => walletText(`refund.status.${status}`),
    },
    {
      key: 'ended',
      title: walletText('refund.ended'),
      cell: ({ ended_at: at }) => (at === null ? '–' : <Time value={at} />),
    },
    { key: 'reason', title: walletText('refund.reason'), cell: ({ reason }) => reason ?? '–' },
    { key: 'failure', title: t('refund.failure'), cell: ({ failure }) => failure ?? '–' },
  ];
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={refunds}
      keyOf={({ id }) => id}
      onMore={onMore}
      isLoadingMore={isLoadingMore}
    />
  );
}
