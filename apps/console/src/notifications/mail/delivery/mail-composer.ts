import { Database, type Transaction } from '@inference/database';
import { Inject, Injectable } from '@nestjs/common';
import { type AccountProfile, findForLogin, readAccount } from '../../../accounts/accounts.repository';
import { recordAuditEvent } from '../../../accounts/audit-log/audit-log';
import { type Language, SITE_LANGUAGE } from '../../../accounts/languages';
import { hasUnprovenAccess } from '../../../accounts/unproven-access.repository';
import { SITE_CONFIG, type SiteConfig } from '../../../site.config';
import { MAIL_CONFIG, type MailConfig } from '../../notifications.config';
import { InvoiceAttachments } from '../invoice-attachments';
import {
  type AddressMailKind,
  type BillingMailKind,
  type BillingMailParams,
  type BulkMailParams,
  type InvitationParams,
  isAddressMailKind,
  isBillingMailKind,
  isBulkMailKind,
  isMailKind,
  isTokenMailKind,
  MAIL_KINDS,
  type MailKind,
  type PaymentParams,
  type SecurityMailParams,
  type TokenMailKind,
} from '../mail-kinds';
import { createMailToken } from '../mail-tokens';
import { countTokenMails, hasMailToken, lockTokenMails } from '../mail-tokens.repository';
import { type ClaimedMail, wantsAnnouncements } from '../outbox.repository';
import { formatAmountRoundedDown, formatExactAmount, type TemplateData } from '../templates/mail-template';
import { formatInstant, type Message, renderMessage, toOneLine } from '../templates/message';

interface Attachment {
  fileName: string;
  contentType: string;
  content: Buffer;
}

/** A message with its attachments. */
interface MailContent extends Message {
  /** Replaces the account's own address. */
  to?: string;
  attachments?: Attachment[];
  /** Where a POST stops such mails (RFC 8058). */
  unsubscribeUrl?: string;
}

interface BillingMailOptions {
  language: Language;
  siteName: string;
  /** Root of the console's pages. */
  consoleUiUrl: string;
}

type KindWithoutAttachment = Exclude<BillingMailKind, 'invoice_issued'>;
type OwnData<Kind extends KindWithoutAttachment> = Omit<TemplateData<Kind>, 'siteName' | 'link'>;

const paymentData = ({ amount, currency, paymentId, at }: PaymentParams) => ({
  amount: formatExactAmount(amount, currency),
  paymentId,
  at: formatInstant(at),
});
const DATA_OF: {
  [Kind in KindWithoutAttachment]: (params: BillingMailParams[Kind]) => OwnData<Kind>;
} = {
  payment_received: paymentData,
  payment_refunded: paymentData,
  low_balance: ({ threshold, balance, currency, at }) => ({
    threshold: formatExactAmount(threshold, currency),
    balance: formatAmountRoundedDown(balance, currency),
    at: formatInstant(at),
  }),
  api_key_expiring: ({ name, prefix, at }) => ({ name: toOneLine(name), prefix, at: formatInstant(at) }),
};

/** Returns null if the mail is about an invoice that no longer exists. */
async function composeBillingMail(
  kind: BillingMailKind,
  params: unknown,
  invoices: InvoiceAttachments,
  { language, siteName, consoleUiUrl }: BillingMailOptions,
): Promise<MailContent | null> {
  const shared = { siteName, link: consoleUiUrl + MAIL_KINDS[kind].page };
  if (kind !== 'invoice_issued') {
    const dataOf = DATA_OF[kind] as (params: unknown) => OwnData<KindWithoutAttachment>;
    const data = { ...shared, ...dataOf(params) } as TemplateData<KindWithoutAttachment>;
    return renderMessage(kind, language, data);
  }
  const invoice = await invoices.read((params as BillingMailParams['invoice_issued']).documentId);
  if (!invoice) return null;
  const { to, number, fileName, contentType, content } = invoice;
  const message = renderMessage(kind, language, { ...shared, number });
  return { ...message, ...(to && { to }), attachments: [{ fileName, contentType, content }] };
}

const shownRotation = ({ name, formerEndsAt, ...key }: NonNullable<SecurityMailParams['rotated']>) => ({
  ...key,
  name: toOneLine(name),
  formerEndsAt: formerEndsAt && formatInstant(formerEndsAt),
});

const shownLeak = ({ name, url, ...leak }: NonNullable<SecurityMailParams['leaked']>) => ({
  ...leak,
  name: toOneLine(name),
  url: toOneLine(url),
});

/**
 * Anybody can request these mails for an address: the limits keep a mailbox from being flooded. They allow a person whose
 * first mail is lost to ask again.
 */
const TOKEN_MAILS_PER_MINUTE = 1;
const TOKEN_MAILS_PER_HOUR = 5;

/** A mail that is ready to be sent. */
export interface ComposedMail extends MailContent {
  /** Id of its row in the outbox; the same at every attempt. */
  id: string;
  kind: MailKind;
  createdAt: Date;
  /** An address without a display name. */
  to: string;
}

/** Composes the mail that a row of the outbox requests. */
@Injectable()
export class MailComposer {
  private readonly siteName: string;

  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(MAIL_CONFIG) private readonly config: MailConfig,
    private readonly invoices: InvoiceAttachments,
  ) {
    this.siteName = toOneLine(site.name);
  }

  /**
   * Returns null if there is nothing to send: the account does not exist, its address is verified already, the limit
   * of token mails is reached, or the account does not get announcements (any more). Throws for a kind that this version does not know.
   */
  async compose(row: ClaimedMail): Promise<ComposedMail | null> {
    const { id, kind, createdAt } = row;
    if (!isMailKind(kind)) throw new Error('a kind of mail that is unknown here');
    if (isAddressMailKind(kind)) return this.composeForAddress(kind, row);
    const account = await this.findAccount(row);
    if (!account || (kind === 'verify_email' && account.emailVerified)) return null;
    const content = await this.composeFor(account, kind, row);
    return content && { id, kind, createdAt, to: account.email, ...content };
  }

  private async composeForAddress(kind: AddressMailKind, row: ClaimedMail): Promise<ComposedMail> {
    const { id, createdAt } = row;
    const to = row.identifier!;
    const language = (await this.findAccount(row))?.language ?? SITE_LANGUAGE[this.site.site];
    const { invitedBy } = row.params as InvitationParams;
    const link = this.site.consoleUiUrl + MAIL_KINDS[kind].toAddress.page;
    return {
      id,
      kind,
      createdAt,
      to,
      ...renderMessage(kind, language, { siteName: this.siteName, invitedBy, link }),
    };
  }

  private async composeFor(
    account: AccountProfile,
    kind: Exclude<MailKind, AddressMailKind>,
    row: ClaimedMail,
  ): Promise<MailContent | null> {
    const { siteName } = this;
    const { consoleUiUrl } = this.site;
    const { language } = account;
    if (isTokenMailKind(kind)) return this.composeWithToken(kind, account, row);
    if (isBillingMailKind(kind))
      return composeBillingMail(kind, row.params, this.invoices, { language, siteName, consoleUiUrl });
    if (isBulkMailKind(kind)) {
      if (!(await this.getsAnnouncements(account))) return null;
      const { texts, unsubscribeCode } = row.params as BulkMailParams;
      // Browsers do not send the fragment of a URL to any server.
      const link = `${consoleUiUrl}${MAIL_KINDS[kind].bulk.page}#token=${unsubscribeCode}`;
      const unsubscribeUrl = `${this.site.consoleUrl}/api/mail/unsubscribe?code=${unsubscribeCode}`;
      return { ...renderMessage(kind, language, { siteName, link, ...texts[language] }), unsubscribeUrl };
    }
    const { at, address, ...facts } = row.params as SecurityMailParams;
    return renderMessage(kind, language, {
      ...facts,
      ...(facts.rotated && { rotated: shownRotation(facts.rotated) }),
      ...(facts.leaked && { leaked: shownLeak(facts.leaked) }),
      siteName,
      link: consoleUiUrl + MAIL_KINDS[kind].security.page,
      at: formatInstant(at ?? row.createdAt),
      address: address ?? null,
    });
  }

  private async getsAnnouncements({ id, emailVerified, suspendedAt }: AccountProfile): Promise<boolean> {
    return emailVerified && suspendedAt === null && (await wantsAnnouncements(this.database, id));
  }

  private async findAccount({ identifier, accountId }: ClaimedMail): Promise<AccountProfile | null> {
    const id = identifier === null ? accountId : (await findForLogin(this.database, identifier))?.id;
    return id == null ? null : readAccount(this.database, id);
  }

  private async composeWithToken(
    purpose: TokenMailKind,
    { id: accountId, email, emailVerified, language }: AccountProfile,
    { id: mailId, params }: ClaimedMail,
  ): Promise<Message | null> {
    const token = await this.database.transaction(async (transaction) => {
      // Several replicas may hold a mail for the same account.
      await lockTokenMails(transaction, accountId);
      const sent = await countTokenMails(transaction, { accountId, purpose, mailId });
      if (sent.minute >= this.limit(TOKEN_MAILS_PER_MINUTE) || sent.hour >= this.limit(TOKEN_MAILS_PER_HOUR))
        return null;
      if (purpose === 'reset_password')
        await recordResetRequest(transaction, accountId, mailId, params as SecurityMailParams);
      return createMailToken(transaction, { accountId, purpose, email, mailId });
    });
    if (token === null) return null;
    const { page, validSeconds } = MAIL_KINDS[purpose].token;
    // Browsers do not send the fragment of a URL to any server.
    return renderMessage(purpose, language, {
      siteName: this.siteName,
      link: `${this.site.consoleUiUrl}${page}#token=${token}`,
      token,
      validHours: validSeconds / 3_600,
      isFirstVerification: !emailVerified,
      revokesEarlierAccess:
        purpose === 'reset_password' && (await hasUnprovenAccess(this.database, accountId)),
    });
  }

  private limit(count: number): number {
    return Math.max(1, count * this.config.rateLimitMultiplier);
  }
}

/**
 * Recorded here because the code that takes the request must not reveal whether the account exists. Recorded once, at
 * the first attempt: each attempt creates its own token.
 */
async function recordResetRequest(
  transaction: Transaction,
  accountId: string,
  mailId: string,
  { address }: SecurityMailParams,
): Promise<void> {
  if (await hasMailToken(transaction, accountId, mailId)) return;
  const origin = { address: address ?? null, userAgent: null };
  await recordAuditEvent(transaction, { type: 'password.reset_requested', accountId, actorId: null, origin });
}
