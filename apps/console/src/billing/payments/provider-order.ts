import { type SiteConfig } from '../../site.config';
import { type ProviderOrder } from '../payment-providers/payment-provider';
import { type Payment } from './entities/payment.entity';

/** The provider order of a payment. It is the same at every call, as idempotent provider APIs require. */
export function toProviderOrder(
  payment: Payment,
  { name, consoleUiUrl }: Pick<SiteConfig, 'name' | 'consoleUiUrl'>,
): ProviderOrder {
  return {
    paymentId: payment.id,
    amountMinor: payment.amountMinor,
    currency: payment.currency,
    description: name,
    expiresAt: payment.expiresAt,
    returnUrl: payment.returnUrl ?? `${consoleUiUrl}/payments/${payment.id}`,
    providerOrderId: payment.providerOrderId,
  };
}
