import { type Sql } from '@inference/database';
import { readAccount } from '../auth/accounts';
import { type ConsoleConfig } from '../config';
import { charged } from '../documents/charged';
import { documentNumber, issueDocument, newDocumentId } from '../documents/document';
import { type ReceiptSnapshot } from '../documents/snapshot';
import { type Payment } from '../payments/payment';

const MAX_PAYER_CHARS = 500;
const clipped = (text: string | null) =>
  text === null || text.length <= MAX_PAYER_CHARS ? text : `${text.slice(0, MAX_PAYER_CHARS)}…`;

/**
 * Issues the receipt of a payment that has just become paid, as the last thing in the transaction that credits it (see
 * issueDocument). Whoever paid, and under whatever name, gets one; a payment that has one keeps it.
 */
export async function issueReceipt(
  sql: Sql,
  payment: Payment,
  { SITE, documents }: Pick<ConsoleConfig, 'SITE' | 'documents'>,
): Promise<void> {
  if ((await documentNumber(sql, payment.id)) !== null) return;
  const account = await readAccount(sql, payment.accountId);
  if (!account) throw new Error(`The account ${payment.accountId} of a payment is not there.`);
  const snapshot: ReceiptSnapshot = {
    ...charged(payment, documents, account.language),
    buyer: {
      email: account.email,
      payerName: clipped(payment.payerName),
      payerEmail: clipped(payment.payerEmail),
    },
  };
  const { id: paymentId, accountId } = payment;
  await issueDocument(sql, SITE, newDocumentId(), { kind: 'receipt', paymentId, accountId, snapshot });
}
