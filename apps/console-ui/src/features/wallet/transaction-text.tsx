import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useLanguage } from '../../language/language-context';
import { formatTimeRange } from '../../time/format-time';
import { useTimeZone } from '../../time/time-zone-context';
import { useWalletTexts } from './texts/wallet-texts';
import { type Transaction } from './wallet-queries';

const HOUR_MILLIS = 3_600_000;

/** What moved the money, in the language of the page. A correction has the words of the admin. */
export function TransactionText({ transaction, payments }: { transaction: Transaction; payments: string }) {
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
