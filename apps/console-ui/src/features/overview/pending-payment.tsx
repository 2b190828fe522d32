import { Alert, Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Clock } from 'lucide-react';
import { useConsoleApi } from '../../api/console-api';
import { formatPrice } from '../../figures/format-figure';
import { useLanguage } from '../../language/language-context';
import { paymentsQuery } from '../wallet/wallet-queries';
import { useOverviewTexts } from './texts/overview-texts';

/** The newest payment, if it waits for its payer. */
export function PendingPayment() {
  const t = useOverviewTexts();
  const { language } = useLanguage();
  const { data } = useInfiniteQuery(paymentsQuery(useConsoleApi()));
  const newest = data?.[0];
  if (newest?.status !== 'pending' || !newest.checkout) return null;
  const amount = formatPrice(newest.amount, newest.currency, language);
  return (
    <Alert variant="default" icon={<Clock size={18} />} title={t('pending.title')}>
      <Group justify="space-between">
        <Text size="md">{t('pending.text', { amount })}</Text>
        <Button component={Link} to={`/payments/${newest.id}`} size="xs" variant="default">
          {t('pending.action')}
        </Button>
      </Group>
    </Alert>
  );
}
