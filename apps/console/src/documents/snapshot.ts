import { z } from 'zod';
import { LANGUAGES } from '../auth/accounts';
import { PAYMENT_PROVIDERS } from '../payment-providers/payment-provider';

/** In hundredths of the currency; a text in the database, since JSON's numbers are floats to most who read them. */
const minor = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform(BigInt);
const instant = z.string().pipe(z.coerce.date());

/** What every document says. The amounts of the taxes and the net add up to the total, as do those of the lines. */
const shared = z.object({
  /** In which it is written. */
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
  currency: z.enum(['USD', 'CNY']),
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

export const receiptSnapshot = shared.extend({
  buyer: z.object({
    /** Of the account, at that time. */
    email: z.string(),
    payerName: z.string().nullable(),
    payerEmail: z.string().nullable(),
  }),
});
export type ReceiptSnapshot = z.output<typeof receiptSnapshot>;

export const invoiceSnapshot = shared.extend({
  buyer: z.object({
    type: z.enum(['personal', 'company']),
    title: z.string(),
    taxId: z.string().nullable(),
  }),
  /** Where it is mailed to; null: to the account's address. */
  mailTo: z.string().nullable(),
});
export type InvoiceSnapshot = z.output<typeof invoiceSnapshot>;

export type SharedSnapshot = z.output<typeof shared>;

/** PostgreSQL keeps neither in JSON. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

/** As `billing.documents.snapshot` holds it. */
export function serialiseSnapshot(snapshot: SharedSnapshot): string {
  return JSON.stringify(snapshot, (_name, value: unknown) => {
    if (typeof value === 'bigint') return value.toString();
    return typeof value === 'string' ? value.replace(UNSTORABLE, '\ufffd') : value;
  });
}
