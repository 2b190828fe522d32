import { CURRENCIES } from '@inference/config';
import { z } from 'zod';
import { LANGUAGES } from '../../identity/accounts/languages';
import { PAYMENT_PROVIDERS } from '../payment-providers/payment-provider';

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
