import { Badge } from '@mantine/core';
import { useWalletTexts } from '../wallet-texts';
import { type StatefulPayment, stateOf } from './payment-state';

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
