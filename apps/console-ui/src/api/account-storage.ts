/**
 * What the browser keeps for an account, in a tab or for all tabs, so that it survives a reload. It is removed when the account
 * signs out, and when another one signs in.
 */

type Place = 'tab' | 'browser';

const PREFIX = 'account:';
/** Names of what was kept without an account, or with it at another place of the name. */
const FORMER_NAMES = /^(playground$|followed-turns$|payments-|prices-)/;

const storageOf = (place: Place): Storage => (place === 'tab' ? sessionStorage : localStorage);

/** Whose state is kept. What still runs for an account after its sign-out keeps nothing. */
let currentId: string | undefined;

/** The name under which something of an account is kept. */
export const accountKey = (accountId: string, name: string): string => `${PREFIX}${accountId}:${name}`;

/** Null if there is nothing, or the storage is switched off. */
export function readKept(place: Place, key: string): string | null {
  try {
    return storageOf(place).getItem(key);
  } catch {
    return null;
  }
}

/**
 * Keeps the text, or removes it if there is none. Returns whether it is done: the storage may be full or switched off, or the account be
 * another one.
 */
export function keep(place: Place, key: string, text: string | undefined): boolean {
  if (currentId === undefined || !key.startsWith(accountKey(currentId, ''))) return false;
  try {
    if (text === undefined) storageOf(place).removeItem(key);
    else storageOf(place).setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

/** As `readKept`, of the account whose state is kept now. */
export const readOwn = (place: Place, name: string): string | null =>
  currentId === undefined ? null : readKept(place, accountKey(currentId, name));

/** As `keep`, for the account whose state is kept now. */
export const keepOwn = (place: Place, name: string, text: string | undefined): boolean =>
  currentId !== undefined && keep(place, accountKey(currentId, name), text);

/** Removes what this tab and the browser keep for accounts. `exceptId`: whose is left, and kept from now on. */
export function forgetAccounts(exceptId?: string): void {
  currentId = exceptId;
  for (const place of ['tab', 'browser'] as const) {
    try {
      const storage = storageOf(place);
      const names = Array.from({ length: storage.length }, (_none, index) => storage.key(index)!);
      for (const name of names) {
        const isOfAnother =
          name.startsWith(PREFIX) && (exceptId === undefined || !name.startsWith(accountKey(exceptId, '')));
        if (isOfAnother || FORMER_NAMES.test(name)) storage.removeItem(name);
      }
    } catch {
      // Switched off.
    }
  }
}
