import { Badge, Code, Paper, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fact, Facts } from '../../components/facts';
import { PartLinks } from '../../components/part-links';
import { Amount } from '../../figures/figure-text';
import { Time } from '../../time/time';
import { type Payment, type StatefulPayment, stateOf } from './wallet-queries';
import { useWalletTexts } from './wallet-texts';

export function PaymentParts() {
  const t = useWalletTexts();
  return (
    <PartLinks label={t('payments')}>
      <Link to="/payments" activeOptions={{ exact: true }}>
        {t('payments')}
      </Link>
      <Link to="/payments/refunds">{t('refunds')}</Link>
    </PartLinks>
  );
}

const COLORS = {
  pending: 'yellow',
  paid: 'green',
  failed: 'red',
  expired: 'gray',
  refunded: 'gray',
  partlyRefunded: 'blue',
} as const;

export function PaymentBadge({ payment }: { payment: StatefulPayment }) {
  const t = useWalletTexts();
  const state = stateOf(payment);
  return (
    <Badge variant="dot" color={COLORS[state]} tt="none" fw={500}>
      {t(`status.${state}`)}
    </Badge>
  );
}

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
