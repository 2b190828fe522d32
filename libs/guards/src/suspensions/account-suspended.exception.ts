import { DetailedException } from '@inference/http';

/** `code` of every answer to a suspended account. Part of the API. */
export const ACCOUNT_SUSPENDED = 'account_suspended' as const;

/** Names no reason: whoever has a credential only does not learn it. */
export const ACCOUNT_SUSPENDED_MESSAGE = 'this account is suspended; sign in to the console to read why';

/** 403: staff has suspended the account. */
export class AccountSuspendedException extends DetailedException {
  /** @param facts for an owner who has proved the password: further members of the body */
  constructor(facts: Record<string, unknown> = {}) {
    super(403, ACCOUNT_SUSPENDED_MESSAGE, { code: ACCOUNT_SUSPENDED, ...facts });
  }
}
