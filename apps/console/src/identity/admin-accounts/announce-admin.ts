import { type Transaction } from '@inference/database';
import { queueSecurityMail } from '../../notifications/mail/security-mail';
import { lockAdmins, readAccount } from '../accounts/accounts.repository';
import { type Origin } from '../audit-log/request-origin';

/**
 * Tells all admins of a new one by mail, also the new one, in the transaction that makes it an admin. The first admin of a site is not
 * announced.
 *
 * @param appointedBy address of the admin who acts; null for an operator's command, which has no origin either
 */
export async function announceAdmin(
  transaction: Transaction,
  {
    accountId,
    appointedBy,
    origin,
  }: { accountId: string; appointedBy: string | null; origin: Origin | null },
): Promise<void> {
  // The locks make it name every admin that another transaction is appointing.
  const adminIds = await lockAdmins(transaction, accountId);
  const account = await readAccount(transaction, accountId);
  if (!account || adminIds.length < 2) return;
  const facts = { admin: { email: account.email, appointedBy } };
  for (const adminId of adminIds)
    await queueSecurityMail(transaction, 'admin_appointed', adminId, origin, facts);
}
