import { NotFoundException } from '@nestjs/common';
import { type Executor, newId, type Transaction } from '@inference/database';
import {
  findSessionId,
  type LockedOrInsertedSession,
  type LockedSession,
  lockOrInsertSession,
  lockSession,
} from './sessions.repository';

// Access to sessions by their owner.

export const noSuchSession = () => new NotFoundException('no such session');

/** Returns the internal id of a session. Throws 404 if the account has no such session. */
export async function requireSession(
  executor: Executor,
  publicId: string,
  accountId: string,
): Promise<string> {
  const id = await findSessionId(executor, publicId, accountId);
  if (id === undefined) throw noSuchSession();
  return id;
}

/** Locks a session until the end of the transaction. Throws 404 if the account has no such session. */
export async function requireLockedSession(
  transaction: Transaction,
  publicId: string,
  accountId: string,
): Promise<LockedSession> {
  const session = await lockSession(transaction, publicId, accountId);
  if (!session) throw noSuchSession();
  return session;
}

/** Locks a session, and creates it if the account has no such session. Throws 404 if it is deleted at the same time. */
export async function lockOrCreateSession(
  transaction: Transaction,
  publicId: string,
  accountId: string,
): Promise<LockedOrInsertedSession> {
  const session = await lockOrInsertSession(transaction, { publicId, accountId, id: newId('sess') });
  return session ?? { ...(await requireLockedSession(transaction, publicId, accountId)), isNew: false };
}
