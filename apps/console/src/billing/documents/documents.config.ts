import { env } from '@inference/config';
import { decimalToScaled, InvalidAmountError } from '@inference/money';
import { z } from 'zod';
import { PERCENT_DECIMALS, PERCENT_SCALE, type TaxRate } from './tax';

export const DOCUMENTS_CONFIG = Symbol('DOCUMENTS_CONFIG');

const MAX_TAX_LINES = 10;
const MAX_PERCENT = 100n * PERCENT_SCALE;
/** Documents cannot show these characters, and PostgreSQL's JSON cannot hold some of them. */
const UNPRINTABLE = /[\p{Cc}\p{Surrogate}]/u;

/** One line of printable text. */
const lineField = (max: number) =>
  z
    .string('must be a text')
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine((text) => !UNPRINTABLE.test(text), 'must not contain control characters');

const seller = z.strictObject(
  {
    name: lineField(200).optional(),
    address: lineField(300).optional(),
    tax_id: lineField(50).optional(),
    email: lineField(254).optional(),
    phone: lineField(50).optional(),
    bank: lineField(200).optional(),
    bank_account: lineField(50).optional(),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'must be an object' : undefined) },
);

function readPercent(text: string, context: z.RefinementCtx): string {
  try {
    const percent = decimalToScaled(text, PERCENT_DECIMALS);
    if (/^\d+(\.\d+)?$/.test(text) && percent <= MAX_PERCENT) return text;
    context.addIssue({ code: 'custom', message: 'must be a decimal text from 0 to 100' });
  } catch (error) {
    if (!(error instanceof InvalidAmountError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
  return z.NEVER;
}

const taxLines = z
  .array(
    z.strictObject({
      name: lineField(60),
      percent: z.string('must be a decimal text, such as "7.25"').transform(readPercent),
    }),
    'must be an array',
  )
  .max(MAX_TAX_LINES, `must have at most ${MAX_TAX_LINES} lines`);

export const documentFields = {
  /**
   * The seller on receipts and invoices, as JSON
   * `{name?, address?, tax_id?, email?, phone?, bank?, bank_account?}`; the name is SITE_NAME by default.
   */
  SELLER: env.json(seller).optional(),
  /** Taxes that prices include, as JSON `[{"name": "VAT", "percent": "7.25"}]`; none by default. */
  TAX_LINES: env.json(taxLines).optional(),
};

export type Seller = z.output<typeof seller> & { name: string };

/** The seller and the taxes that receipts and invoices show. */
export interface DocumentsConfig {
  seller: Seller;
  taxRates: TaxRate[];
}

export function documentsOf(
  config: z.output<z.ZodObject<typeof documentFields>> & { SITE_NAME: string },
): DocumentsConfig {
  return {
    seller: { ...config.SELLER, name: config.SELLER?.name ?? config.SITE_NAME },
    taxRates: config.TAX_LINES ?? [],
  };
}
