import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../../components/data-table';
import { Amount } from '../../figures/figure-text';
import { Time } from '../../time/time';
import { AccountLink, useAccountEmails } from '../admin-accounts/account-link';
import { PaymentBadge } from '../wallet/payment-parts';
import { useWalletTexts } from '../wallet/wallet-texts';
import { useAdminPaymentTexts } from './admin-payment-texts';
import { type ListedPayment } from './payment-queries';

interface Props {
  label: string;
  payments: ListedPayment[];
  /** Whether a column names the account. */
  hasAccount?: boolean;
  onMore?: (() => void) | undefined;
  isLoadingMore?: boolean;
}

export function AdminPaymentTable({
  label,
  payments,
  hasAccount = true,
  onMore,
  isLoadingMore = false,
}: Props) {
  const [t, walletText] = [useAdminPaymentTexts(), useWalletTexts()];
  const emails = useAccountEmails(hasAccount ? payments.map(({ account_id: id }) => id) : []);
  const account: Column<ListedPayment> = {
    key: 'account',
    title: t('account'),
    place: 'line',
    cell: ({ account_id: id }) => <AccountLink id={id} emails={emails} />,
  };
  const columns: Column<ListedPayment>[] = [
    {
      key: 'created',
      title: walletText('payment.created'),
      cell: ({ id, created_at: at }) => (
        <Anchor component={Link} to={`/admin/payments/${id}`} inherit>
          <Time value={at} />
        </Anchor>
      ),
    },
    ...(hasAccount ? [account] : []),
    {
      key: 'provider',
      title: t('provider'),
      place: 'more',
      cell: ({ provider }) => walletText(`provider.${provider}`),
    },
    {
      key: 'status',
      title: t('status'),
      place: 'status',
      cell: (payment) => <PaymentBadge payment={payment} />,
    },
    {
      key: 'refunded',
      title: walletText('payment.refunded'),
      isNumber: true,
      cell: ({ refunded_amount: refunded, currency }) =>
        refunded.isZero ? '–' : <Amount value={refunded} currency={currency} />,
    },
    {
      key: 'amount',
      title: walletText('amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />,
    },
  ];
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={payments}
      keyOf={({ id }) => id}
      onMore={onMore}
      isLoadingMore={isLoadingMore}
    />
  );
}
