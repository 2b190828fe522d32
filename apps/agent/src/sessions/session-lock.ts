import { NotFoundException } from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { type Executor, newId, type Transaction } from '@inference/database';
import {
  findSessionId,
  type LockedOrInsertedSession,
  type LockedSession,
  lockOrInsertSession,
  lockSession,
} from './sessions.repository';
import { keyIdOf, sessionScopeOf } from '../session-scope';

// Access to sessions by their owner.

export const noSuchSession = () => new NotFoundException('no such session');

/** Returns the internal id of a session. Throws 404 if the caller has no such session. */
export async function requireSession(executor: Executor, publicId: string, caller: Caller): Promise<string> {
  const id = await findSessionId(executor, publicId, sessionScopeOf(caller));
  if (id === undefined) throw noSuchSession();
  return id;
}

/** Locks a session until the end of the transaction. Throws 404 if the caller has no such session. */
export async function requireLockedSession(
  transaction: Transaction,
  publicId: string,
  caller: Caller,
): Promise<LockedSession> {
  const session = await lockSession(transaction, publicId, sessionScopeOf(caller));
  if (!session) throw noSuchSession();
  return session;
}

/**
 * Locks a session, and creates it if the account has no such session. Throws 404 if the account has one to which the caller may not
 * post.
 */
export async function lockOrCreateSession(
  transaction: Transaction,
  publicId: string,
  caller: Caller,
): Promise<LockedOrInsertedSession> {
  const unused = { id: newId('sess'), publicId, apiKeyId: keyIdOf(caller) };
  const lockOrInsert = () => lockOrInsertSession(transaction, unused, sessionScopeOf(caller));
  // The second time finds what another transaction has inserted meanwhile.
  const session = (await lockOrInsert()) ?? (await lockOrInsert());
  if (!session) throw noSuchSession();
  return session;
}
