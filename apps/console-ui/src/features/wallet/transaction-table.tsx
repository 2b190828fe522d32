import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../../components/data-table';
import { alignedAmounts } from '../../figures/figure-text';
import { useLanguage } from '../../language/language';
import { formatTimeRange } from '../../time/format-time';
import { Time } from '../../time/time';
import { useTimeZone } from '../../time/time-zone-context';
import { type Transaction } from './wallet-queries';
import { useWalletTexts } from './wallet-texts';

const HOUR_MILLIS = 3_600_000;

/** What moved the money, in the language of the page. A correction has the words of the admin. */
function TransactionText({ transaction, payments }: { transaction: Transaction; payments: string }) {
  const text = useTransactionText(transaction);
  const { cause, payment_id: paymentId } = transaction;
  if (paymentId !== null)
    return (
      <Anchor component={Link} to={`${payments}/${paymentId}`} inherit>
        {text}
      </Anchor>
    );
  return (
    <Text span inherit dir={cause === 'correction' ? 'auto' : undefined}>
      {text}
    </Text>
  );
}

function useTransactionText({ cause, created_at, description, model, provider }: Transaction): string {
  const t = useWalletTexts();
  const { language } = useLanguage();
  const { timeZone } = useTimeZone();
  const name = provider && t(`provider.${provider}`);
  switch (cause) {
    case 'topup':
      return name === null ? t('text.topup.other') : t('text.topup', { provider: name });
    case 'refund':
      return name === null ? t('text.refund.other') : t('text.refund', { provider: name });
    case 'refund_failed':
      return t('text.refund_failed');
    case 'usage': {
      // Usage is dated at the end of its hour.
      const end = new Date(created_at);
      const period = formatTimeRange(new Date(end.getTime() - HOUR_MILLIS), end, { language, timeZone });
      return model === null ? description : t('text.usage', { model, period });
    }
    case 'correction':
      return description;
  }
}

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
  const shownAmount = alignedAmounts(transactions.map(({ amount }) => amount));
  const columns: Column<Transaction>[] = [
    {
      key: 'time',
      title: t('transactions.time'),
      place: 'status',
      cell: ({ created_at }) => <Time value={created_at} />,
    },
    { key: 'type', title: t('transactions.type'), place: 'title', cell: ({ cause }) => t(`type.${cause}`) },
    {
      key: 'text',
      title: t('transactions.text'),
      place: 'status',
      cell: (row) => <TransactionText transaction={row} payments={payments} />,
    },
    {
      key: 'amount',
      title: t('amount'),
      isNumber: true,
      cell: ({ amount, currency }) => shownAmount(amount, currency),
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
