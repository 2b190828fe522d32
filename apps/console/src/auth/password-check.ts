import { BadRequestException, ForbiddenException, Inject, Injectable } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type Actor } from '../events/actor';
import { recordEvent } from '../events/security-events';
import { GuessDesk } from '../guesses/guess-desk';
import { readForSignIn, type SignInAccount } from './accounts';
import { PasswordHasher } from './password-hasher';

const FRESH_SESSION = `
  SELECT FROM accounts.sessions WHERE id = $1 AND created_at > now() - interval '10 minutes'`;

/** Asks somebody who is signed in for the password again, before what a stolen session must not do. */
@Injectable()
export class PasswordCheck {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly passwords: PasswordHasher,
    private readonly guesses: GuessDesk,
  ) {}

  /**
   * The account as it was when its password matched. An account without a password has none to give, and must have
   * signed in within the last minutes instead. 400 when the password is missing, 403 when it is wrong or the sign-in too
   * old, 429 after too many wrong ones.
   */
  async confirm(
    { accountId, sessionId, origin }: Actor,
    field: string,
    password: string | undefined,
  ): Promise<SignInAccount> {
    const account = await readForSignIn(this.pool, accountId);
    if (!account) throw new ForbiddenException('the account does not exist any more');
    if (account.passwordHash === null) {
      const fresh = await this.pool.query(FRESH_SESSION, [sessionId]);
      if (fresh.rowCount !== 1) throw new ForbiddenException('sign in again first');
      return account;
    }
    if (password === undefined) throw new BadRequestException(`${field}: is missing`);
    const guess = await this.guesses.admit({ kind: 'password', accountId, address: origin.address });
    if (!(await this.passwords.matches(account.passwordHash, password))) {
      await recordEvent(this.pool, { type: 'password.failed', accountId, actorId: accountId, origin });
      throw new ForbiddenException(`${field}: is wrong`);
    }
    await guess.wasRight();
    return account;
  }
}
