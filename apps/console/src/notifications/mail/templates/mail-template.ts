import { type Currency } from '@inference/config';
import { decimalToPicos, formatDecimal, PICO_DIGITS, picosToDecimal } from '@inference/money';
import {
  type AddressMailKind,
  type BillingMailKind,
  type BulkMailKind,
  type MailKind,
  type SecurityMailFacts,
  type TokenMailKind,
} from '../mail-kinds';

const DECIMALS = 2;
const PICOS_PER_HUNDREDTH = 10n ** BigInt(PICO_DIGITS - DECIMALS);

/** An amount of money for people to read. */
export interface FormattedAmount {
  /** With thousands separators and at least two decimals: `1,250.00`. */
  figure: string;
  currency: Currency;
  /** True if the exact amount is higher than the figure, by less than a hundredth. */
  isRounded: boolean;
}

const figureOf = (picos: bigint): string => formatDecimal(picosToDecimal(picos));

/** Keeps all decimals. */
export function formatExactAmount(decimal: string, currency: Currency): FormattedAmount {
  return { figure: figureOf(decimalToPicos(decimal)), currency, isRounded: false };
}

/** Rounds down to hundredths, so that the figure is never higher than the amount. */
export function formatAmountRoundedDown(decimal: string, currency: Currency): FormattedAmount {
  const picos = decimalToPicos(decimal);
  const rest = picos % PICOS_PER_HUNDREDTH;
  return { figure: figureOf(picos - rest), currency, isRounded: rest !== 0n };
}

/** Text, or a link or a token in a paragraph of its own so that it can be copied. */
export type Paragraph = string | { link: string } | { token: string };

interface CommonData {
  siteName: string;
}

export interface TokenMailData extends CommonData {
  /** Opens the page with the token filled in. */
  link: string;
  token: string;
  /** How long the token is valid. */
  validHours: number;
  /** True if using the token verifies the address for the first time. */
  isFirstVerification: boolean;
  /** True if it deletes credentials that were made before an earlier verification. */
  revokesEarlierAccess?: boolean;
}

export interface SecurityMailData extends CommonData, SecurityMailFacts {
  /** `2026-11-21 15:05:01`, in UTC. */
  at: string;
  /** IP address from which the change was made; null if unknown. */
  address: string | null;
  /** The page where the owner can undo or stop it. */
  link: string;
}

interface BillingMailData extends CommonData {
  /** The page with the details. */
  link: string;
}

export interface PaymentMailData extends BillingMailData {
  amount: FormattedAmount;
  paymentId: string;
  /** `2026-11-21 15:05:01`, in UTC. */
  at: string;
}

export interface LowBalanceMailData extends BillingMailData {
  threshold: FormattedAmount;
  balance: FormattedAmount;
  /** `2026-11-21 15:05:01`, in UTC. */
  at: string;
}

export interface InvoiceMailData extends BillingMailData {
  number: string;
}

export interface ExpiringKeyMailData extends BillingMailData {
  name: string;
  prefix: string;
  /** When it expires: `2026-11-21 15:05:01`, in UTC. */
  at: string;
}

export interface InvitationMailData extends CommonData {
  invitedBy: string;
  /** The page that shows the invitation. */
  link: string;
}

export interface BulkMailData extends CommonData {
  title: string;
  /** Lines; an empty one ends a paragraph. */
  body: string;
  /** The page where the receiver stops such mails. */
  link: string;
}

interface DataByBillingKind {
  payment_received: PaymentMailData;
  payment_refunded: PaymentMailData;
  low_balance: LowBalanceMailData;
  invoice_issued: InvoiceMailData;
  api_key_expiring: ExpiringKeyMailData;
}

export type TemplateData<Kind extends MailKind> = Kind extends TokenMailKind
  ? TokenMailData
  : Kind extends BillingMailKind
    ? DataByBillingKind[Kind]
    : Kind extends AddressMailKind
      ? InvitationMailData
      : Kind extends BulkMailKind
        ? BulkMailData
        : SecurityMailData;

/** The paragraphs of a text that people wrote. */
export const paragraphsOf = (text: string): Paragraph[] =>
  text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');

export interface MailTemplate<Data> {
  subject: (data: Data) => string;
  paragraphs: (data: Data) => Paragraph[];
}

/** The templates of all mails in one language. */
export type MailTemplates = { [Kind in MailKind]: MailTemplate<TemplateData<Kind>> };
