import { env, type Site } from '@inference/config';
import { decimalToScaled, InvalidAmountError } from '@inference/money';
import { z } from 'zod';
import { isPrivateChannel } from './config.oauth';
import { PERCENT_DECIMALS, PERCENT_SCALE, type TaxRate } from './documents/tax';

const MAX_TAX_LINES = 10;
const MAX_PERCENT = 100n * PERCENT_SCALE;
/** What no document can show, and JSON in the database cannot hold. */
const UNPRINTABLE = /[\p{Cc}\p{Surrogate}]/u;

/** One line that is printed on documents. */
const line = (max: number) =>
  z
    .string('must be a text')
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine((text) => !UNPRINTABLE.test(text), 'must not contain control characters');

const seller = z.strictObject(
  {
    name: line(200).optional(),
    address: line(300).optional(),
    tax_id: line(50).optional(),
    email: line(254).optional(),
    phone: line(50).optional(),
    bank: line(200).optional(),
    bank_account: line(50).optional(),
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
      name: line(60),
      percent: z.string('must be a decimal text, such as "7.25"').transform(readPercent),
    }),
    'must be an array',
  )
  .max(MAX_TAX_LINES, `must have at most ${MAX_TAX_LINES} lines`);

export const documentFields = {
  /**
   * Who sells, as receipts and invoices say it: JSON
   * {name?, address?, tax_id?, email?, phone?, bank?, bank_account?}; the name is SITE_NAME unless told.
   */
  SELLER: env.json(seller).optional(),
  /** The taxes that prices include: JSON [{name, percent: "7.25"}]; none by default. */
  TAX_LINES: env.json(taxLines).optional(),
  /** Turns an invoice into the tax authority's own file (site cn). */
  INVOICE_ISSUER_URL: env
    .httpUrl()
    .refine(
      (url) => !URL.canParse(url) || isPrivateChannel(url),
      'must be https, except on this machine itself',
    )
    .optional(),
  INVOICE_ISSUER_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
};

type Fields = z.output<z.ZodObject<typeof documentFields>>;

/** An issuer needs both its variables, and is for the China site. */
export function checkDocuments(config: Partial<Fields> & { SITE: Site }, context: z.RefinementCtx): void {
  const names = ['INVOICE_ISSUER_URL', 'INVOICE_ISSUER_TOKEN'] as const;
  const present = names.filter((name) => config[name] !== undefined);
  const fault = (name: keyof Fields, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (present.length === 0) return;
  if ((config.SITE as string | undefined) === 'intl')
    for (const name of present) fault(name, 'is for the site cn only');
  else
    for (const name of names) if (config[name] === undefined) fault(name, `is missing beside ${present[0]}`);
}

/** What receipts and invoices say of the seller and of taxes, and who issues the tax authority's files. */
export interface DocumentsConfig {
  seller: Seller;
  taxRates: TaxRate[];
  issuer: { url: string; token: string } | null;
}

export type Seller = z.output<typeof seller> & { name: string };

export function documentsOf(config: Fields & { SITE_NAME: string }): DocumentsConfig {
  const { INVOICE_ISSUER_URL: url, INVOICE_ISSUER_TOKEN: token } = config;
  return {
    seller: { ...config.SELLER, name: config.SELLER?.name ?? config.SITE_NAME },
    taxRates: config.TAX_LINES ?? [],
    issuer: url !== undefined && token !== undefined ? { url, token } : null,
  };
}
