import { type Currency } from '@inference/config';
import { type ExactNumber } from '@inference/money';
import { z } from 'zod';
import { emailField } from '../../identity/accounts/account-fields';

const MAX_TITLE_CHARS = 200;
const CONTROLS = /\p{Cc}/u;
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}\p{Cf}]/u;

export const createInvoiceDto = z
  .strictObject({
    payment_id: z.string().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
    type: z.enum(['personal', 'company'], 'must be personal or company'),
    /** Name of the buyer. */
    title: z
      .string()
      .trim()
      .max(MAX_TITLE_CHARS, `must have at most ${MAX_TITLE_CHARS} characters`)
      .refine((text) => VISIBLE.test(text), 'must not be empty')
      .refine((text) => !CONTROLS.test(text), 'must not contain control characters'),
    /** Unified social credit code (统一社会信用代码) or taxpayer id (纳税人识别号). */
    tax_id: z
      .string()
      .trim()
      .regex(/^[0-9A-Za-z]{15,20}$/, 'must have 15 to 20 digits and letters')
      .toUpperCase()
      .optional(),
    /** Address it is mailed to; the account's address by default. */
    email: emailField.optional(),
  })
  .refine(({ type, tax_id }) => type !== 'company' || tax_id !== undefined, {
    path: ['tax_id'],
    message: 'is missing for a company',
  });
export type CreateInvoiceDto = z.output<typeof createInvoiceDto>;

/**
 * issued      no tax authority's file is requested; the download is our own PDF
 * processing  the tax authority's file is requested; the download is our own PDF until it arrives
 * official    the download is the tax authority's file
 * refused     the issuer refused the invoice; the download is our own PDF
 */
export type InvoiceStatus = 'issued' | 'processing' | 'official' | 'refused';

export interface InvoiceView {
  id: string;
  /** `INV-2026-000001` */
  number: string;
  payment_id: string;
  type: 'personal' | 'company';
  title: string;
  tax_id: string | null;
  /** Null: mailed to the account's address. */
  email: string | null;
  amount: ExactNumber;
  /** What was given back of the payment since. */
  refunded_amount: ExactNumber;
  currency: Currency;
  status: InvoiceStatus;
  /** ISO 8601. */
  issued_at: string;
  download_url: string;
}
