import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Amount } from '../../figures/amount';
import { Time } from '../../time/time';
import { TransactionText } from './transaction-text';
import { useWalletTexts } from './texts/wallet-texts';
import { type Transaction } from './wallet-queries';

interface Props {
  label: string;
  transactions: Transaction[];
  /** Path below which their payments are. */
  payments?: '/payments' | '/admin/payments';
  onMore?: (() => void) | undefined;
  isLoadingMore?: boolean;
}

export function TransactionTable({
  label,
  transactions,
  payments = '/payments',
  onMore,
  isLoadingMore = false,
}: Props) {
  const t = useWalletTexts();
  const columns: Column<Transaction>[] = [
    {
      key: 'time',
      title: t('transactions.time'),
      cell: ({ created_at }) => <Time value={created_at} />,
    },
    { key: 'type', title: t('transactions.type'), cell: ({ cause }) => t(`type.${cause}`) },
    {
      key: 'text',
      title: t('transactions.text'),
      cell: (row) => <TransactionText transaction={row} payments={payments} />,
    },
    {
      key: 'amount',
      title: t('amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />,
    },
  ];
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={transactions}
      keyOf={({ id }) => id}
      onMore={onMore}
      isLoadingMore={isLoadingMore}
    />
  );
}
