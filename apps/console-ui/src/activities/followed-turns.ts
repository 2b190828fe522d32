import { accountKey, keep, readKept } from '../api/account-storage';

/**
 * Ids of the agent sessions in which an account has begun turns with this browser, in all tabs and after a reload. Whether a turn
 * still runs is asked of the agent service.
 */
const NAME = 'followed-turns';
const MOST = 10;
const NONE = '[]';

const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

/** What this tab knows, by account, if the browser's storage is switched off or full. */
const withoutStorage = new Map<string, string>();

/** `accountId`: undefined if nobody is signed in. */
export function readFollowedTurns(accountId: string | undefined): string {
  if (accountId === undefined) return NONE;
  return withoutStorage.get(accountId) ?? readKept('browser', accountKey(accountId, NAME)) ?? NONE;
}

export function followedTurnsIn(stored: string): string[] {
  try {
    const ids: unknown = JSON.parse(stored);
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

function change(accountId: string | undefined, next: (ids: string[]) => string[]): void {
  if (accountId === undefined) return;
  const ids = JSON.stringify(next(followedTurnsIn(readFollowedTurns(accountId))).slice(0, MOST));
  if (!keep('browser', accountKey(accountId, NAME), ids)) withoutStorage.set(accountId, ids);
  tell();
}

export const followTurn = (accountId: string | undefined, sessionId: string): void =>
  change(accountId, (ids) => [sessionId, ...ids.filter((id) => id !== sessionId)]);
export const forgetTurn = (accountId: string | undefined, sessionId: string): void =>
  change(accountId, (ids) => ids.filter((id) => id !== sessionId));

export function subscribeToFollowedTurns(listener: () => void): () => void {
  listeners.add(listener);
  // Changes of other tabs.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
