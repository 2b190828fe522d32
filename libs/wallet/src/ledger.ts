import { ConflictException, NotFoundException } from '@nestjs/common';
import { newId, type Transaction } from '@inference/database';
import { findTransfer, insertEntries, insertTransfer } from './transfers.repository';
import { addToBalance, lockWallet, readWallet } from './wallets.repository';

/** The wallet's free money, which is not in leases, does not cover a deduction. */
export class InsufficientFundsError extends ConflictException {
  constructor(
    readonly accountId: string,
    /** Whether the balance covers the deduction, so that only the leases are in the way. */
    readonly isCoveredByBalance: boolean,
  ) {
    super('the wallet does not cover this amount');
  }
}

/** The reference was used for a different transfer before. */
export class ReferenceReusedError extends ConflictException {
  constructor() {
    super('this reference was already used for a different transfer');
  }
}

/** A transfer between a wallet and another ledger account. */
export interface Posting {
  kind: 'topup' | 'adjustment';
  accountId: string;
  /** Positive credits the wallet, negative debits it. */
  amountPicos: bigint;
  /** The other side of the transfer. */
  counterpart: 'equity:adjustments' | `provider:${string}`;
  /** Unique. Posting an equal transfer with the same reference again has no effect and returns the first one. */
  reference: string;
  description: string;
}

/** The stored transfer. */
export interface PostedTransfer {
  id: string;
  createdAt: Date;
  /** False when the reference had been posted before. */
  isNew: boolean;
}

/**
 * Posts a transfer with its two entries and updates the balance. Must run inside a transaction of the caller.
 * Throws NotFoundException for an unknown account, InsufficientFundsError, ReferenceReusedError.
 */
export async function postTransfer(transaction: Transaction, posting: Posting): Promise<PostedTransfer> {
  const { kind, accountId, amountPicos, counterpart, reference, description } = posting;
  if (!(await lockWallet(transaction, accountId))) {
    if (await findTransfer(transaction, reference)) throw new ReferenceReusedError();
    throw new NotFoundException('no such account');
  }
  const id = newId('txn');
  const createdAt = await insertTransfer(transaction, { id, kind, accountId, reference, description });
  if (!createdAt) return earlierTransfer(transaction, posting);
  await insertEntries(transaction, { id, accountId }, counterpart, amountPicos);
  if (!(await addToBalance(transaction, accountId, amountPicos))) {
    const { balancePicos } = (await readWallet(transaction, accountId))!;
    throw new InsufficientFundsError(accountId, balancePicos + amountPicos >= 0n);
  }
  return { id, createdAt, isNew: true };
}

async function earlierTransfer(transaction: Transaction, posting: Posting): Promise<PostedTransfer> {
  const { kind, accountId, amountPicos, reference, description } = posting;
  const earlier = await findTransfer(transaction, reference);
  const isEqual =
    earlier?.transfer.kind === kind &&
    earlier.transfer.accountId === accountId &&
    earlier.transfer.description === description &&
    earlier.amountPicos === amountPicos;
  if (!isEqual) throw new ReferenceReusedError();
  return { id: earlier.transfer.id, createdAt: earlier.transfer.createdAt, isNew: false };
}
