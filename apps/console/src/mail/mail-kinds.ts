import { type Currency } from '@inference/config';

/**
 * Every kind of mail. One with a token is ordered by what somebody typed and goes to the account found by it; its
 * token begins with the prefix, is valid for so long, and leads to a page of the console UI. The others are ordered
 * for an account: about its money with a page that shows more, or about its security.
 */
export const MAIL_KINDS = {
  verify_email: { token: { prefix: 'vrf_', validSeconds: 86_400, page: '/verify-email' } },
  reset_password: { token: { prefix: 'rst_', validSeconds: 3_600, page: '/reset-password' } },
  password_changed: {},
  two_factor_enabled: {},
  two_factor_disabled: {},
  recovery_codes_replaced: {},
  identity_linked: {},
  identity_unlinked: {},
  payment_received: { page: '/billing' },
  payment_refunded: { page: '/billing' },
  low_balance: { page: '/billing' },
  invoice_issued: { page: '/billing' },
} as const satisfies Record<
  string,
  { token?: { prefix: string; validSeconds: number; page: string }; page?: string }
>;

export type MailKind = keyof typeof MAIL_KINDS;
export type TokenMailKind = {
  [Kind in MailKind]: (typeof MAIL_KINDS)[Kind] extends { token: object } ? Kind : never;
}[MailKind];
export type MoneyMailKind = {
  [Kind in MailKind]: (typeof MAIL_KINDS)[Kind] extends { page: string } ? Kind : never;
}[MailKind];
export type NoticeKind = Exclude<MailKind, TokenMailKind | MoneyMailKind>;

/** What is known of how a mail came to be. */
export interface MailParams {
  /** Where the request or the change came from, null when it is not known. */
  address?: string | null;
  /** ISO 8601; when the mail was ordered unless told. */
  at?: string;
}

export interface PaymentParams {
  /** What was paid or given back, a decimal text such as `20` or `19.99`. */
  amount: string;
  currency: Currency;
  paymentId: string;
  /** ISO 8601. */
  at: string;
}

/** What a mail about money tells of; amounts are exact decimal texts. */
export interface MoneyMailParams {
  payment_received: PaymentParams;
  payment_refunded: PaymentParams;
  /** `at` (ISO 8601): when the balance was seen to be below the threshold. */
  low_balance: { threshold: string; balance: string; currency: Currency; at: string };
  /** The invoice's file is attached. */
  invoice_issued: { documentId: string };
}

type MoneyMailOrder = {
  [Kind in MoneyMailKind]: { kind: Kind; accountId: string; params: MoneyMailParams[Kind] };
}[MoneyMailKind];

export type MailOrder =
  /** The identifier is a normalised one (see normaliseIdentifier). */
  | { kind: TokenMailKind; identifier: string; params?: MailParams }
  | { kind: NoticeKind; accountId: string; params?: MailParams }
  | MoneyMailOrder;

/** False for a kind that a newer console has ordered. */
export const isMailKind = (kind: string): kind is MailKind => Object.hasOwn(MAIL_KINDS, kind);
export const isTokenMailKind = (kind: MailKind): kind is TokenMailKind => 'token' in MAIL_KINDS[kind];
export const isMoneyMailKind = (kind: MailKind): kind is MoneyMailKind => 'page' in MAIL_KINDS[kind];
