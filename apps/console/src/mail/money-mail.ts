import { type Sql } from '@inference/database';
import { type Account } from '../auth/accounts';
import { readInvoiceFile } from '../invoices/invoice-file';
import { amountRoundedDown, exactAmount } from './amount';
import { instantText, type Letter, renderLetter } from './letter';
import { MAIL_KINDS, type MoneyMailKind, type MoneyMailParams, type PaymentParams } from './mail-kinds';
import { type FactsOf } from './mail-texts';

export interface Attachment {
  fileName: string;
  contentType: string;
  content: Buffer;
}

/** A letter with what goes with it. */
export interface MailContent extends Letter {
  /** In place of the account's own address. */
  to?: string;
  attachments?: Attachment[];
}

export interface MoneyMailOptions {
  siteName: string;
  /** Where people use the console. */
  consoleUrl: string;
}

type Told = Exclude<MoneyMailKind, 'invoice_issued'>;
type OwnFacts<Kind extends Told> = Omit<FactsOf<Kind>, 'siteName' | 'link'>;

const paymentFacts = ({ amount, currency, paymentId, at }: PaymentParams) => ({
  amount: exactAmount(amount, currency),
  paymentId,
  at: instantText(at),
});
const FACTS: { [Kind in Told]: (params: MoneyMailParams[Kind]) => OwnFacts<Kind> } = {
  payment_received: paymentFacts,
  payment_refunded: paymentFacts,
  low_balance: ({ threshold, balance, currency, at }) => ({
    threshold: exactAmount(threshold, currency),
    balance: amountRoundedDown(balance, currency),
    at: instantText(at),
  }),
};

/** Null when what it tells of is not there any more. */
export async function writeMoneyMail(
  sql: Sql,
  kind: MoneyMailKind,
  params: unknown,
  { language }: Account,
  { siteName, consoleUrl }: MoneyMailOptions,
): Promise<MailContent | null> {
  const shared = { siteName, link: consoleUrl + MAIL_KINDS[kind].page };
  if (kind !== 'invoice_issued') {
    const factsOf = FACTS[kind] as (params: unknown) => OwnFacts<Told>;
    return renderLetter(kind, language, { ...shared, ...factsOf(params) } as FactsOf<Told>);
  }
  const invoice = await readInvoiceFile(sql, (params as MoneyMailParams['invoice_issued']).documentId);
  if (!invoice) return null;
  const { to, number, fileName, contentType, content } = invoice;
  const letter = renderLetter(kind, language, { ...shared, number });
  return { ...letter, ...(to && { to }), attachments: [{ fileName, contentType, content }] };
}
