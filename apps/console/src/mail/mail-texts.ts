import { type Amount } from './amount';
import { type MailKind, type MoneyMailKind, type TokenMailKind } from './mail-kinds';

/** Lines of text, or something that stands by itself so that it can be copied. */
export type Paragraph = string | { link: string } | { token: string };

interface SharedFacts {
  siteName: string;
}

export interface TokenFacts extends SharedFacts {
  /** Opens the page with the token filled in. */
  link: string;
  token: string;
  /** Of the token. */
  validHours: number;
  /** Whether using it is the first proof that the address is the account's owner's. */
  isFirstProof: boolean;
}

export interface NoticeFacts extends SharedFacts {
  /** `2026-11-21 15:05:01`, in UTC. */
  at: string;
  /** Where the change came from, null when it is not known. */
  address: string | null;
  /** Where people use the console. */
  consoleUrl: string;
}

interface MoneyFacts extends SharedFacts {
  /** The page of the console that shows the account's money. */
  link: string;
}

export interface PaymentFacts extends MoneyFacts {
  amount: Amount;
  paymentId: string;
  /** In UTC, as in NoticeFacts. */
  at: string;
}

export interface LowBalanceFacts extends MoneyFacts {
  threshold: Amount;
  balance: Amount;
  /** In UTC, as in NoticeFacts. */
  at: string;
}

export interface InvoiceFacts extends MoneyFacts {
  number: string;
}

interface FactsOfMoney {
  payment_received: PaymentFacts;
  payment_refunded: PaymentFacts;
  low_balance: LowBalanceFacts;
  invoice_issued: InvoiceFacts;
}

export type FactsOf<Kind extends MailKind> = Kind extends TokenMailKind
  ? TokenFacts
  : Kind extends MoneyMailKind
    ? FactsOfMoney[Kind]
    : NoticeFacts;

export interface MailText<Facts> {
  subject: (facts: Facts) => string;
  paragraphs: (facts: Facts) => Paragraph[];
}

/** All mails in one language. */
export type MailTexts = { [Kind in MailKind]: MailText<FactsOf<Kind>> };
