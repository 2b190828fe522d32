import { type Executor } from '@inference/database';
import { ApiKey } from '@inference/guards';
import { BillingDocument } from '../../billing/documents/document.entity';
import { Payment } from '../../billing/payments/payment.entity';
import { Raw } from 'typeorm';

/** What a text names, and whose it is. */
export interface Owned {
  id: string;
  accountId: string;
}

const SELECTED = { id: true, accountId: true } as const;

/** Also by a secret that a rotation has replaced within a year. A deleted key has no hash. */
const BY_HASH = `
  SELECT id, account_id AS "accountId" FROM accounts.api_keys WHERE key_hash = ANY($1)
  UNION
  SELECT k.id, k.account_id FROM accounts.former_key_secrets f JOIN accounts.api_keys k ON k.id = f.api_key_id
  WHERE f.key_hash = ANY($1) AND k.deleted_at IS NULL`;

/** By the hashes under which a whole key may be stored, also one that a rotation has replaced. */
export async function findKeysByHash(executor: Executor, hashes: Buffer[]): Promise<Owned[]> {
  return (await executor.query<Owned>(BY_HASH, [hashes])).rows;
}

const WORKSPACE_KEY = 'SELECT key_id AS id, account_id AS "accountId" FROM memo.find_key($1)';

/** The key of a workspace, and who has made it. */
export async function findWorkspaceKeyByHash(executor: Executor, hashes: Buffer[]): Promise<Owned[]> {
  return (await executor.query<Owned>(WORKSPACE_KEY, [hashes])).rows;
}

/** Also deleted ones, newest first. @param prefix without wildcards of LIKE */
export function findKeysByPrefix(executor: Executor, prefix: string, count: number): Promise<Owned[]> {
  // Compared as bytes, as the index is.
  const begins = Raw((column) => `${column} COLLATE "C" LIKE :pattern`, { pattern: `${prefix}%` });
  return executor.repository(ApiKey).find({
    select: SELECTED,
    where: { prefix: begins },
    order: { createdAt: 'DESC' },
    take: count,
  });
}

export function findKeyById(executor: Executor, id: string): Promise<Owned[]> {
  return executor.repository(ApiKey).find({ select: SELECTED, where: { id } });
}

export function findPaymentById(executor: Executor, id: string): Promise<Owned[]> {
  return executor.repository(Payment).find({ select: SELECTED, where: { id } });
}

/** The id is the number. */
export async function findDocumentByNumber(executor: Executor, number: string): Promise<Owned[]> {
  const found = await executor
    .repository(BillingDocument)
    .find({ select: { number: true, accountId: true }, where: { number } });
  return found.map(({ accountId }) => ({ id: number, accountId }));
}
