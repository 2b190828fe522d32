import { type Caller, restrictedKeyIdOf } from '@inference/guards';

/** The sessions that a caller reaches. All others are absent for it. */
export interface SessionScope {
  accountId: string;
  /** Only the sessions that this key has made; null: all sessions of the account. */
  madeByKeyId: string | null;
}

/** The key of the caller: it makes sessions and pays for turns. Null: the console acts for the account itself. */
export const keyIdOf = ({ apiKey }: Caller): string | null => apiKey?.id ?? null;

export const sessionScopeOf = (caller: Caller): SessionScope => ({
  accountId: caller.accountId,
  madeByKeyId: restrictedKeyIdOf(caller),
});
