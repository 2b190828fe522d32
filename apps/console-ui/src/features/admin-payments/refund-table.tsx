import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Amount } from '../../figures/amount';
import { Time } from '../../time/time';
import { useWalletTexts } from '../wallet/texts/wallet-texts';
import { type ListedRefund } from './payment-queries';
import { useAdminPaymentTexts } from './texts/admin-payment-texts';

interface Props {
  label: string;
  refunds: ListedRefund[];
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

/** Refunds of any account, each with a link to its payment. */
export function AdminRefundTable({ label, refunds, onMore, isLoadingMore }: Props) {
  const [t, walletText] = [useAdminPaymentTexts(), useWalletTexts()];
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
      cell: ({ account_id: id }) => (
        <Anchor component={Link} to={`/admin/accounts/${id}`} inherit>
          {id}
        </Anchor>
      ),
    },
    {
      key: 'amount',
      title: walletText('amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />,
    },
    { key: 'status', title: t('status'), cell: ({ status }) => walletText(`refund.status.${status}`) },
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
