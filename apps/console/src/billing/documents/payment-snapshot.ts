import { type Payment } from '../payments/entities/payment.entity';
import { type Language } from '../../identity/accounts/languages';
import { type DocumentsConfig } from './documents.config';
import { type DocumentSnapshot } from './document-snapshot';
import { splitTaxes } from './tax';

/** Description of the document's only line. */
const TOP_UP: Record<Language, string> = {
  en: 'Top-up of prepaid account credit',
  'zh-CN': '账户充值（预付费）',
};

/** The shared part of the snapshot of a paid payment. */
export function paymentSnapshot(
  payment: Payment,
  { seller, taxRates }: DocumentsConfig,
  language: Language,
): DocumentSnapshot {
  const { id, provider, providerReference, paidAt, amountMinor, currency } = payment;
  return {
    language,
    seller,
    currency,
    lines: [{ description: TOP_UP[language], amountMinor }],
    ...splitTaxes(amountMinor, taxRates),
    totalMinor: amountMinor,
    payment: { id, provider, reference: providerReference ?? '', paidAt: paidAt ?? new Date() },
  };
}
