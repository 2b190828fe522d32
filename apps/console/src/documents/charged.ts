import { type Payment } from '../payments/payment';
import { type Language } from '../auth/accounts';
import { type DocumentsConfig } from '../config.documents';
import { type SharedSnapshot } from './snapshot';
import { splitTaxes } from './tax';

const TOP_UP: Record<Language, string> = {
  en: 'Top-up of prepaid account credit',
  'zh-CN': '账户充值（预付费）',
};

/** What every document says of a payment that was made. */
export function charged(
  payment: Payment,
  { seller, taxRates }: DocumentsConfig,
  language: Language,
): SharedSnapshot {
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
