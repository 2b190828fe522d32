import { ConflictException, NotFoundException } from '@nestjs/common';
import { newId, type Sql } from '@inference/database';
import { readWallet } from './wallets';

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

interface EarlierTransfer {
  id: string;
  created_at: Date;
  same: boolean;
}

const IS_USED = 'SELECT FROM wallet.transfers WHERE reference = $1';
const FIND_EARLIER = `
  SELECT t.id, t.created_at,
    t.kind = $2 AND t.account_id = $3 AND t.description = $4 AND e.amount_picos = $5 AS same
  FROM wallet.transfers t JOIN wallet.entries e ON e.transfer_id = t.id AND e.ledger_account = 'wallet:' || t.account_id
  WHERE t.reference = $1`;

/**
 * Posts a transfer with its two entries and updates the balance. Must run inside a transaction of the caller.
 * Throws NotFoundException for an unknown account, InsufficientFundsError, ReferenceReusedError.
 */
export async function postTransfer(sql: Sql, posting: Posting): Promise<PostedTransfer> {
  const { kind, accountId, amountPicos, counterpart, reference, description } = posting;
  const wallet = await sql.query('SELECT FROM wallet.wallets WHERE account_id = $1 FOR UPDATE', [accountId]);
  if (wallet.rowCount === 0) {
    if ((await sql.query(IS_USED, [reference])).rowCount !== 0) throw new ReferenceReusedError();
    throw new NotFoundException('no such account');
  }
  const id = newId('txn');
  const inserted = await sql.query<{ created_at: Date }>(
    `INSERT INTO wallet.transfers (id, kind, account_id, reference, description) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (reference) DO NOTHING RETURNING created_at`,
    [id, kind, accountId, reference, description],
  );
  const createdAt = inserted.rows[0]?.created_at;
  if (!createdAt) {
    const earlier = await sql.query<EarlierTransfer>(FIND_EARLIER, [
      reference,
      kind,
      accountId,
      description,
      amountPicos,
    ]);
    const found = earlier.rows[0];
    if (!found?.same) throw new ReferenceReusedError();
    return { id: found.id, createdAt: found.created_at, isNew: false };
  }
  await sql.query(
    'INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos) VALUES ($1, $2, $3), ($1, $4, -$3::numeric)',
    [id, `wallet:${accountId}`, amountPicos, counterpart],
  );
  const moved = await sql.query(
    `UPDATE wallet.wallets SET balance_picos = balance_picos + $2::numeric
     WHERE account_id = $1 AND balance_picos + $2::numeric >= leased_picos`,
    [accountId, amountPicos],
  );
  if (moved.rowCount === 0) {
    const { balancePicos } = (await readWallet(sql, accountId))!;
    throw new InsufficientFundsError(accountId, balancePicos + amountPicos >= 0n);
  }
  return { id, createdAt, isNew: true };
}
