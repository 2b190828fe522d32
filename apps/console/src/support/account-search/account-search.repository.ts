import { type Executor } from '@inference/database';
import { ApiKey } from '@inference/guards';
import { BillingDocument } from '../../billing/documents/document.entity';
import { Payment } from '../../billing/payments/payment.entity';
import { In, Raw } from 'typeorm';

/** What a text names, and whose it is. */
export interface Owned {
  id: string;
  accountId: string;
}

const SELECTED = { id: true, accountId: true } as const;

/** By the hashes under which a whole key may be stored. A deleted key has none. */
export function findKeysByHash(executor: Executor, hashes: Buffer[]): Promise<Owned[]> {
  return executor.repository(ApiKey).find({ select: SELECTED, where: { keyHash: In(hashes) } });
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
