import { type ConsoleConfig } from '../config';
import { type Order } from '../payment-providers/payment-provider';
import { type Payment } from './payment';

type Config = Pick<ConsoleConfig, 'SITE_NAME' | 'CONSOLE_UI_URL'>;

/** A payment as its provider is told of it: the same whenever it is told. */
export function orderOf(payment: Payment, { SITE_NAME, CONSOLE_UI_URL }: Config): Order {
  return {
    paymentId: payment.id,
    amountMinor: payment.amountMinor,
    currency: payment.currency,
    description: SITE_NAME,
    expiresAt: payment.expiresAt,
    returnUrl: payment.returnUrl ?? `${CONSOLE_UI_URL}/billing`,
    providerOrderId: payment.providerOrderId,
  };
}
