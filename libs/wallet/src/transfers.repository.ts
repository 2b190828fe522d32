import { type Executor, type Transaction } from '@inference/database';
import { LedgerEntry, Transfer } from './wallet.entity';

export type NewTransfer = Pick<Transfer, 'id' | 'kind' | 'accountId' | 'reference' | 'description'>;

/** Returns the time of the transfer, or null if the reference was used before. */
export async function insertTransfer(transaction: Transaction, transfer: NewTransfer): Promise<Date | null> {
  const { raw } = await transaction
    .repository(Transfer)
    .createQueryBuilder()
    .insert()
    .values(transfer)
    .orIgnore()
    .returning(['createdAt'])
    .execute();
  const [row] = raw as { created_at: Date }[];
  return row?.created_at ?? null;
}

/** The amount goes from the counterpart to the wallet of the account. */
export async function insertEntries(
  transaction: Transaction,
  { id: transferId, accountId }: Pick<Transfer, 'id' | 'accountId'>,
  counterpart: string,
  amountPicos: bigint,
): Promise<void> {
  await transaction.repository(LedgerEntry).insert([
    { transferId, ledgerAccount: ledgerAccountOf(accountId), amountPicos },
    { transferId, ledgerAccount: counterpart, amountPicos: -amountPicos },
  ]);
}

/** The transfer with this reference, with its amount as seen from the wallet; null for an unused reference. */
export async function findTransfer(
  executor: Executor,
  reference: string,
): Promise<{ transfer: Transfer; amountPicos: bigint } | null> {
  const transfer = await executor.repository(Transfer).findOneBy({ reference });
  if (!transfer) return null;
  const { amountPicos } = await executor.repository(LedgerEntry).findOneByOrFail({
    transferId: transfer.id,
    ledgerAccount: ledgerAccountOf(transfer.accountId),
  });
  return { transfer, amountPicos };
}

const ledgerAccountOf = (accountId: string): string => `wallet:${accountId}`;
