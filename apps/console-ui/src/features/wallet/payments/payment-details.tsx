import { Code, Paper, Text } from '@mantine/core';
import { Fact, Facts } from '../../../components/facts';
import { Amount } from '../../../figures/amount';
import { Time } from '../../../time/time';
import { type Payment } from '../wallet-queries';
import { useWalletTexts } from '../wallet-texts';
import { PaymentBadge } from './payment-badge';

export function PaymentDetails({ payment }: { payment: Omit<Payment, 'refunds'> }) {
  const t = useWalletTexts();
  const { amount, currency, refunded_amount: refunded, paid_at: paidAt } = payment;
  return (
    <Paper withBorder p="lg" component="section" aria-label={t('payment.details')}>
      <Facts>
        <Fact name={t('amount')}>
          <Text span inherit fw={600}>
            <Amount value={amount} currency={currency} />
          </Text>
        </Fact>
        <Fact name={t('payment.status')}>
          <PaymentBadge payment={payment} />
        </Fact>
        {!refunded.isZero && (
          <Fact name={t('payment.refunded')}>
            <Amount value={refunded} currency={currency} />
          </Fact>
        )}
        <Fact name={t('payment.provider')}>{t(`provider.${payment.provider}`)}</Fact>
        <Fact name={t('payment.created')}>
          <Time value={payment.created_at} />
        </Fact>
        {paidAt !== null && (
          <Fact name={t('payment.paidAt')}>
            <Time value={paidAt} />
          </Fact>
        )}
        <Fact name={t('payment.id')}>
          <Code>{payment.id}</Code>
        </Fact>
        {payment.provider_reference !== undefined && (
          <Fact name={t('payment.reference')}>
            <Code>{payment.provider_reference}</Code>
          </Fact>
        )}
      </Facts>
    </Paper>
  );
}
