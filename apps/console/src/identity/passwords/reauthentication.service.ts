import { Database } from '@inference/database';
import { BadRequestException, ForbiddenException, Injectable } from '@nestjs/common';
import { readForSignIn, type SignInAccount } from '../../accounts/accounts.repository';
import { type Actor, type Origin } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { LoginThrottle } from '../login-throttle/login-throttle.service';
import { isRecentSession } from '../sessions/sessions.repository';
import { PasswordHasher } from './password-hasher';

/** Asks a signed-in account for its password again, before an action that a stolen session must not be enough for. */
@Injectable()
export class ReauthenticationService {
  constructor(
    private readonly database: Database,
    private readonly passwords: PasswordHasher,
    private readonly throttle: LoginThrottle,
  ) {}

  /**
   * Returns the account as it was when its password matched. An account without a password must have signed in within
   * the last minutes instead. Throws 400 if the password is missing, 403 if it is wrong or the sign-in too old, and 429
   * after too many wrong ones.
   *
   * @param field name of the request's field that holds the password, for the error
   */
  async confirm(
    { accountId, sessionId, origin }: Actor,
    field: string,
    password: string | undefined,
  ): Promise<SignInAccount> {
    const account = await readForSignIn(this.database, accountId);
    if (!account) throw new ForbiddenException('the account does not exist any more');
    if (account.passwordHash === null) {
      if (!(await isRecentSession(this.database, sessionId)))
        throw new ForbiddenException('sign in again first');
      return account;
    }
    if (password === undefined) throw new BadRequestException(`${field}: is missing`);
    await this.compare(account, field, password, { actorId: accountId, origin });
    return account;
  }

  /**
   * For a request without a session of the account that has just begun. Throws 403 if the password is missing or wrong, and 429 after too many wrong
   * ones.
   */
  async confirmWithoutRecentSession(
    accountId: string,
    password: string | undefined,
    origin: Origin,
  ): Promise<void> {
    const account = await readForSignIn(this.database, accountId);
    if (!account) throw new ForbiddenException('the account does not exist any more');
    if (password === undefined)
      throw new ForbiddenException(
        'password: is needed, or a session of the account that began within ten minutes; who does not know the password has to reset it',
      );
    await this.compare(account, 'password', password, { actorId: null, origin });
  }

  private async compare(
    { id: accountId, passwordHash }: SignInAccount,
    field: string,
    password: string,
    { actorId, origin }: { actorId: string | null; origin: Origin },
  ): Promise<void> {
    const attempt = await this.throttle.admit({ kind: 'password', accountId, address: origin.address });
    if (!(await this.passwords.matches(passwordHash, password))) {
      await recordAuditEvent(this.database, { type: 'password.failed', accountId, actorId, origin });
      throw new ForbiddenException(`${field}: is wrong`);
    }
    await attempt.recordSuccess();
  }
}
