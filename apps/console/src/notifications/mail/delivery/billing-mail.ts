import { type Language } from '../../../identity/accounts/languages';
import { type InvoiceAttachments } from '../invoice-attachments';
import { type BillingMailKind, type BillingMailParams, MAIL_KINDS, type PaymentParams } from '../mail-kinds';
import { formatAmountRoundedDown, formatExactAmount } from '../templates/formatted-amount';
import { type TemplateData } from '../templates/mail-template';
import { formatInstant, type Message, renderMessage } from '../templates/message';

export interface Attachment {
  fileName: string;
  contentType: string;
  content: Buffer;
}

/** A message with its attachments. */
export interface MailContent extends Message {
  /** Replaces the account's own address. */
  to?: string;
  attachments?: Attachment[];
}

export interface BillingMailOptions {
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
};

/** Returns null if the mail is about an invoice that no longer exists. */
export async function composeBillingMail(
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
