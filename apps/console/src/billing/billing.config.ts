import { env, type Site } from '@inference/config';
import { type AllowedOrigins } from '@inference/http';
import { decimalToPicos, decimalToScaled, InvalidAmountError } from '@inference/money';
import { z } from 'zod';
import { isPrivateChannel, type SiteConfig } from '../site.config';
import { PERCENT_DECIMALS, PERCENT_SCALE, type TaxRate } from './documents/tax';

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

export const INVOICES_CONFIG = Symbol('INVOICES_CONFIG');

export const invoiceFields = {
  /** Address of the service that issues the tax authority's own invoice files, on the site `cn` only. */
  INVOICE_ISSUER_URL: env
    .httpUrl()
    .refine(
      (url) => !URL.canParse(url) || isPrivateChannel(url),
      'must be https, except on this machine itself',
    )
    .optional(),
  /** Bearer token for that service; required with INVOICE_ISSUER_URL. */
  INVOICE_ISSUER_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
};

type InvoiceFields = z.output<z.ZodObject<typeof invoiceFields>>;

export interface InvoicesConfig {
  /** Null: no tax files are requested. */
  issuer: { url: string; token: string } | null;
}

/** Reports an issuer with only one of its variables, and an issuer on the international site. */
export function checkInvoices(
  config: Partial<InvoiceFields> & { SITE: Site },
  context: z.RefinementCtx,
): void {
  const names = ['INVOICE_ISSUER_URL', 'INVOICE_ISSUER_TOKEN'] as const;
  const present = names.filter((name) => config[name] !== undefined);
  const fault = (name: keyof InvoiceFields, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (present.length === 0) return;
  if ((config.SITE as string | undefined) === 'intl')
    for (const name of present) fault(name, 'is for the site cn only');
  else
    for (const name of names) if (config[name] === undefined) fault(name, `is missing beside ${present[0]}`);
}

export function invoicesOf({
  INVOICE_ISSUER_URL: url,
  INVOICE_ISSUER_TOKEN: token,
}: InvoiceFields): InvoicesConfig {
  return { issuer: url !== undefined && token !== undefined ? { url, token } : null };
}

export const PAYMENTS_CONFIG = Symbol('PAYMENTS_CONFIG');

/** Scaled by RATE_LIMIT_MULTIPLIER. Each pending payment is polled, and one account must not delay the polling for all others. */
const MAX_PENDING_PAYMENTS = 1_000;

export const paymentFields = {
  /**
   * How long a payment can be paid, in seconds; one hour by default. The bounds are Stripe's 30 minutes and 24 hours,
   * with room for a slow clock.
   */
  PAYMENT_TTL_SECONDS: env.integer(1_860, 86_100).default(3_600),
};

export interface PaymentsConfig {
  ttlSeconds: number;
  /** Most payments that one account may have pending. */
  maxPendingPayments: number;
  /** Origins of the pages to which a payer may be sent back: the console's, its pages' and those of CORS_ORIGINS. */
  returnOrigins: string[];
}

interface PaymentFields {
  PAYMENT_TTL_SECONDS: number;
  RATE_LIMIT_MULTIPLIER: number;
  CORS_ORIGINS?: AllowedOrigins | undefined;
}

export function paymentsOf(
  config: PaymentFields,
  { consoleUrl, consoleUiUrl }: Pick<SiteConfig, 'consoleUrl' | 'consoleUiUrl'>,
): PaymentsConfig {
  // `*` names no origin: it lets pages read answers without a session, and must not let a link lead anywhere.
  const corsOrigins = config.CORS_ORIGINS === '*' ? [] : (config.CORS_ORIGINS ?? []);
  const ownOrigins = [consoleUiUrl, consoleUrl].map((url) => new URL(url).origin);
  return {
    ttlSeconds: config.PAYMENT_TTL_SECONDS,
    maxPendingPayments: Math.max(1, MAX_PENDING_PAYMENTS * config.RATE_LIMIT_MULTIPLIER),
    returnOrigins: [...new Set([...ownOrigins, ...corsOrigins])],
  };
}

export const TOP_UP_CONFIG = Symbol('TOP_UP_CONFIG');

/** Payment providers count in hundredths of the currency. */
const MONEY_DECIMALS = 2;

function readPicos(text: string, context: z.RefinementCtx, isZeroAllowed = false): bigint {
  try {
    const picos = decimalToPicos(text, MONEY_DECIMALS);
    if (picos > 0n || (picos === 0n && isZeroAllowed)) return picos;
    context.addIssue({
      code: 'custom',
      message: isZeroAllowed ? 'must not be negative' : 'must be positive',
    });
  } catch (error) {
    if (!(error instanceof InvalidAmountError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
  return z.NEVER;
}

const amountField = ({ isZeroAllowed = false } = {}) =>
  z.string().transform((text, context) => readPicos(text, context, isZeroAllowed));
const amountListField = () =>
  z.string().transform((text, context) => text.split(',').map((part) => readPicos(part.trim(), context)));

/** All amounts are in the site's currency, with at most two decimals. */
export const topUpFields = {
  /** Smallest top-up; 5 USD or 10 CNY by default. */
  MIN_TOPUP: amountField().optional(),
  /** Largest top-up; 10000 USD or 50000 CNY by default. */
  MAX_TOPUP: amountField().optional(),
  /** Comma-separated amounts that the wallet page offers; by default the site's presets within the bounds. */
  TOPUP_PRESETS: amountListField().optional(),
  /** Balance below which an account gets a mail; 5 USD or 20 CNY by default. */
  LOW_BALANCE_THRESHOLD: amountField().optional(),
  /** What an account gets once, when its address is confirmed; nothing by default. */
  START_CREDIT: amountField({ isZeroAllowed: true }).optional(),
};

type TopUpFields = { SITE: Site } & {
  [Name in keyof typeof topUpFields]?: z.output<(typeof topUpFields)[Name]>;
};

/** Amounts in picos of the site's currency. */
export interface TopUpConfig {
  minPicos: bigint;
  maxPicos: bigint;
  presetsPicos: bigint[];
  lowBalanceThresholdPicos: bigint;
}

const toPicos = (amounts: number[]) => amounts.map((amount) => decimalToPicos(amount));

const DEFAULTS: Record<Site, TopUpConfig> = {
  intl: {
    minPicos: decimalToPicos(5),
    maxPicos: decimalToPicos(10_000),
    presetsPicos: toPicos([10, 20, 50, 100, 500]),
    lowBalanceThresholdPicos: decimalToPicos(5),
  },
  cn: {
    minPicos: decimalToPicos(10),
    maxPicos: decimalToPicos(50_000),
    presetsPicos: toPicos([50, 100, 200, 500, 1_000]),
    lowBalanceThresholdPicos: decimalToPicos(20),
  },
};

export function topUpOf(config: TopUpFields): TopUpConfig {
  const defaults = DEFAULTS[config.SITE];
  const minPicos = config.MIN_TOPUP ?? defaults.minPicos;
  const maxPicos = config.MAX_TOPUP ?? defaults.maxPicos;
  const isInBounds = (picos: bigint) => picos >= minPicos && picos <= maxPicos;
  return {
    minPicos,
    maxPicos,
    // Default presets outside configured bounds are left out instead of stopping the start.
    presetsPicos: config.TOPUP_PRESETS ?? defaults.presetsPicos.filter(isInBounds),
    lowBalanceThresholdPicos: config.LOW_BALANCE_THRESHOLD ?? defaults.lowBalanceThresholdPicos,
  };
}

/** False for a variable that was refused: it has no amount to compare. */
const exceeds = (amount: unknown, limit: unknown) =>
  typeof amount === 'bigint' && typeof limit === 'bigint' && amount > limit;

/** Reports bounds in the wrong order and presets outside them. */
export function checkTopUp(
  { SITE, MIN_TOPUP, MAX_TOPUP, TOPUP_PRESETS }: TopUpFields,
  context: z.RefinementCtx,
): void {
  const fault = (name: keyof typeof topUpFields, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  const defaults: TopUpConfig | undefined = DEFAULTS[SITE];
  const min = MIN_TOPUP ?? defaults?.minPicos;
  const max = MAX_TOPUP ?? defaults?.maxPicos;
  const presets = Array.isArray(TOPUP_PRESETS) ? TOPUP_PRESETS : [];
  if (exceeds(min, max)) fault('MAX_TOPUP', 'is less than MIN_TOPUP');
  if (presets.some((amount) => exceeds(min, amount) || exceeds(amount, max)))
    fault('TOPUP_PRESETS', 'must lie between MIN_TOPUP and MAX_TOPUP');
}
