import { type Currency } from '@inference/config';
import { type Language } from '../../accounts/languages';

/**
 * Every kind of mail, in five groups:
 * - Token mails carry a single-use token and are requested for an identifier that somebody typed. The link leads to a
 *   page of the console UI.
 * - Billing mails, and those of keys that will expire, are requested for an account and link to the page with the details.
 * - Security mails tell an account that its credentials were changed, or admins that there is another one, and link to the page where
 *   the receiver can act.
 * - Bulk mails go to many accounts, which can unsubscribe.
 * - Address mails go to an address, whether or not an account has it.
 */
export const MAIL_KINDS = {
  verify_email: { token: { prefix: 'vrf_', validSeconds: 86_400, page: '/verify-email' } },
  reset_password: { token: { prefix: 'rst_', validSeconds: 3_600, page: '/reset-password' } },
  // Works also for an owner whose password somebody else has changed.
  password_changed: { security: { page: '/forgot-password' } },
  two_factor_enabled: { security: { page: '/settings' } },
  two_factor_disabled: { security: { page: '/settings' } },
  recovery_codes_replaced: { security: { page: '/settings' } },
  identity_linked: { security: { page: '/settings' } },
  identity_unlinked: { security: { page: '/settings' } },
  access_revoked: { security: { page: '/keys' } },
  api_key_rotated: { security: { page: '/keys' } },
  api_key_leaked: { security: { page: '/keys' } },
  workspace_key_leaked: { security: { page: '/workspaces' } },
  admin_appointed: { security: { page: '/admin/accounts' } },
  payment_received: { page: '/payments' },
  payment_refunded: { page: '/payments' },
  low_balance: { page: '/top-up' },
  invoice_issued: { page: '/invoices' },
  api_key_expiring: { page: '/keys' },
  announcement: { bulk: { page: '/unsubscribe' } },
  // Requested by the memo service (migration 0043).
  workspace_invitation: { toAddress: { page: '/workspaces' } },
} as const satisfies Record<
  string,
  | { token: { prefix: string; validSeconds: number; page: string } }
  | { security: { page: string } }
  | { page: string }
  | { bulk: { page: string } }
  | { toAddress: { page: string } }
>;

export type MailKind = keyof typeof MAIL_KINDS;
export type TokenMailKind = {
  [Kind in MailKind]: (typeof MAIL_KINDS)[Kind] extends { token: object } ? Kind : never;
}[MailKind];
export type BillingMailKind = {
  [Kind in MailKind]: (typeof MAIL_KINDS)[Kind] extends { page: string } ? Kind : never;
}[MailKind];
export type SecurityMailKind = {
  [Kind in MailKind]: (typeof MAIL_KINDS)[Kind] extends { security: object } ? Kind : never;
}[MailKind];
export type BulkMailKind = {
  [Kind in MailKind]: (typeof MAIL_KINDS)[Kind] extends { bulk: object } ? Kind : never;
}[MailKind];
export type AddressMailKind = {
  [Kind in MailKind]: (typeof MAIL_KINDS)[Kind] extends { toAddress: object } ? Kind : never;
}[MailKind];

/** What a bulk mail says, and how its receiver stops such mails. */
export interface BulkMailParams {
  announcementId: string;
  texts: Record<Language, { title: string; body: string }>;
  unsubscribeCode: string;
}

/** What an address mail says. */
export interface InvitationParams {
  /** The confirmed address of the person who invites. */
  invitedBy: string;
}

/** The request that caused a token mail or a security mail. */
export interface SecurityMailParams extends SecurityMailFacts {
  /** IP address of the client; null if unknown. */
  address?: string | null;
  /** ISO 8601; by default the time at which the mail was requested. */
  at?: string;
}

/** What the mails of some kinds say in addition. */
export interface SecurityMailFacts {
  /** `access_revoked`: how many credentials of each kind were deleted. */
  revoked?: RevokedCredentials;
  /** `api_key_rotated`: the key; its former secret works until `formerEndsAt` (ISO 8601), or has ended (null). */
  rotated?: MailedKey & { formerEndsAt: string | null };
  /** `api_key_leaked` and `workspace_key_leaked`: the key, disabled unless only a former secret of it was found, and where it was found (may be empty). */
  leaked?: MailedKey & { url: string; isFormerSecret: boolean };
  /** `admin_appointed`: the address of the new admin, and of the admin who made it one; null for a command of the operator. */
  admin?: { email: string; appointedBy: string | null };
}

/** The key that a mail is about. */
export interface MailedKey {
  name: string;
  prefix: string;
}

export interface RevokedCredentials {
  apiKeys: number;
  workspaceKeys: number;
  identities: number;
  secondFactors: number;
  passwords: number;
}

export interface PaymentParams {
  /** The amount paid or refunded, as a decimal such as `20` or `19.99`. */
  amount: string;
  currency: Currency;
  paymentId: string;
  /** ISO 8601. */
  at: string;
}

/** Contents of the billing mails. Amounts are exact decimals. */
export interface BillingMailParams {
  payment_received: PaymentParams;
  payment_refunded: PaymentParams;
  /** `at` (ISO 8601) is the time at which the low balance was found. */
  low_balance: { threshold: string; balance: string; currency: Currency; at: string };
  /** The invoice is attached. */
  invoice_issued: { documentId: string };
  /** `at` (ISO 8601) is when the key expires. */
  api_key_expiring: MailedKey & { at: string };
}

type BillingMailRequest = {
  [Kind in BillingMailKind]: { kind: Kind; accountId: string; params: BillingMailParams[Kind] };
}[BillingMailKind];

export type MailRequest =
  /** The identifier is normalized. */
  | { kind: TokenMailKind; identifier: string; params?: SecurityMailParams }
  | { kind: SecurityMailKind; accountId: string; params?: SecurityMailParams }
  | { kind: BulkMailKind; accountId: string; params: BulkMailParams }
  | BillingMailRequest;

/** False for a kind that only a newer version of the console knows. */
export const isMailKind = (kind: string): kind is MailKind => Object.hasOwn(MAIL_KINDS, kind);
export const isTokenMailKind = (kind: MailKind): kind is TokenMailKind => 'token' in MAIL_KINDS[kind];
export const isBillingMailKind = (kind: MailKind): kind is BillingMailKind => 'page' in MAIL_KINDS[kind];
export const isBulkMailKind = (kind: MailKind): kind is BulkMailKind => 'bulk' in MAIL_KINDS[kind];
export const isAddressMailKind = (kind: MailKind): kind is AddressMailKind => 'toAddress' in MAIL_KINDS[kind];
