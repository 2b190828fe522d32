import { CURRENCIES } from '@inference/config';
import { z } from 'zod';
import { type Language, LANGUAGES } from '../../accounts/languages';
import { type DocumentsConfig } from '../billing.config';
import { PAYMENT_PROVIDERS } from '../payment-providers/payment-provider';
import { refundedMinor } from '../payments/minor-amount';
import { type Payment, type Refund } from '../payments/payment.entity';
import { splitTaxes } from './tax';

/** In hundredths of the currency; text in the database, since most JSON parsers read numbers as floats. */
const minor = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform(BigInt);
const instant = z.string().pipe(z.coerce.date());

/** The content that receipts and invoices share. Net and taxes add up to the total, and so do the lines. */
const documentSnapshot = z.object({
  /** The language of the document. */
  language: z.enum(LANGUAGES),
  seller: z.object({
    name: z.string(),
    address: z.string().optional(),
    tax_id: z.string().optional(),
    email: z.string().optional(),
    phone: z.string().optional(),
    bank: z.string().optional(),
    bank_account: z.string().optional(),
  }),
  currency: z.enum(CURRENCIES),
  lines: z.array(z.object({ description: z.string(), amountMinor: minor })),
  netMinor: minor,
  taxes: z.array(z.object({ name: z.string(), percent: z.string(), amountMinor: minor })),
  totalMinor: minor,
  payment: z.object({
    id: z.string(),
    provider: z.enum(PAYMENT_PROVIDERS),
    reference: z.string(),
    paidAt: instant,
  }),
});

export const receiptSnapshot = documentSnapshot.extend({
  buyer: z.object({
    /** The account's address when the receipt was issued. */
    email: z.string(),
    payerName: z.string().nullable(),
    payerEmail: z.string().nullable(),
  }),
});
export type ReceiptSnapshot = z.output<typeof receiptSnapshot>;

export const invoiceSnapshot = documentSnapshot.extend({
  buyer: z.object({
    type: z.enum(['personal', 'company']),
    title: z.string(),
    taxId: z.string().nullable(),
  }),
  /** Address it is mailed to; null: the account's address. */
  mailTo: z.string().nullable(),
});
export type InvoiceSnapshot = z.output<typeof invoiceSnapshot>;

export type DocumentSnapshot = z.output<typeof documentSnapshot>;

/** PostgreSQL's JSON cannot hold these characters. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

/** The JSON text of `billing.documents.snapshot`. */
export function serialiseSnapshot(snapshot: DocumentSnapshot): string {
  return JSON.stringify(snapshot, (_name, value: unknown) => {
    if (typeof value === 'bigint') return value.toString();
    return typeof value === 'string' ? value.replace(UNSTORABLE, '\ufffd') : value;
  });
}

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

/** `pending`: a refund is under way and nothing was given back yet. */
export type RefundState = 'pending' | 'partial' | 'full';

/** The refunds that a document shows: those that have succeeded or are under way. */
export const shownRefunds = (refunds: Refund[]): Refund[] =>
  refunds.filter(({ status }) => status !== 'failed');

/** What has become of the money of a document's payment; null if no refund is shown. */
export function refundStateOf(totalMinor: bigint, refunds: Refund[]): RefundState | null {
  const givenBack = refundedMinor(refunds);
  if (givenBack > 0n) return givenBack < totalMinor ? 'partial' : 'full';
  return shownRefunds(refunds).length > 0 ? 'pending' : null;
}
