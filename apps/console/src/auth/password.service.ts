import { BadRequestException, ConflictException, Inject, Injectable } from '@nestjs/common';
import { inTransaction, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type Actor } from '../events/actor';
import { type Origin } from '../events/request-origin';
import { recordEvent } from '../events/security-events';
import { GuessDesk } from '../guesses/guess-desk';
import { revokeMailTokens, useMailToken } from '../mail/mail-tokens';
import { queueNotice } from '../mail/notices';
import { queueMail } from '../mail/outbox';
import { normaliseIdentifier } from './identifier';
import { PasswordCheck } from './password-check';
import { type PasswordChange, type PasswordReset } from './password.dto';
import { hashPassword } from './password-hasher';
import { SessionsService } from './sessions.service';
import { takeFromStrangers } from './strangers';

const RESET = `
  WITH old AS (SELECT id, email_verified_at FROM accounts.accounts WHERE id = $1 FOR NO KEY UPDATE)
  UPDATE accounts.accounts a
  SET password_hash = $2, credentials_version = a.credentials_version + 1,
    email_verified_at = CASE WHEN a.email = $3 THEN coalesce(a.email_verified_at, now())
      ELSE a.email_verified_at END
  FROM old WHERE a.id = old.id RETURNING old.email_verified_at::text AS "provenAt"`;
const CHANGE = `
  UPDATE accounts.accounts SET password_hash = $3, credentials_version = credentials_version + 1
  WHERE id = $1 AND credentials_version = $2`;
const VERIFY = `
  UPDATE accounts.accounts SET email_verified_at = now()
  WHERE id = $1 AND email = $2 AND email_verified_at IS NULL`;

@Injectable()
export class PasswordService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
    private readonly check: PasswordCheck,
    private readonly sessions: SessionsService,
    private readonly guesses: GuessDesk,
  ) {}

  /** Looks nobody up: whoever sends the mail does, so that an answer takes the same time for everybody. */
  async requestReset(identifier: string, { address }: Origin): Promise<void> {
    await queueMail(this.pool, {
      kind: 'reset_password',
      identifier: normaliseIdentifier(identifier, this.config.SITE),
      params: { address },
    });
  }

  async requestVerification(email: string): Promise<void> {
    await queueMail(this.pool, { kind: 'verify_email', identifier: email });
  }

  /** Whoever receives the account's mail is its owner: sets the password, and ends what began with the old one. */
  async reset({ token, password }: PasswordReset, origin: Origin): Promise<void> {
    const passwordHash = await hashPassword(password);
    await inTransaction(this.pool, async (client) => {
      const { accountId, email } = await this.spend(client, 'reset_password', token);
      const { rows } = await client.query<{ provenAt: string | null }>(RESET, [
        accountId,
        passwordHash,
        email,
      ]);
      // Sessions before identities, as whoever links one has them.
      await this.sessions.endOthers(client, accountId, null);
      await takeFromStrangers(client, accountId, rows[0]?.provenAt ?? null, origin);
      await this.guesses.forget(client, accountId);
      await recordEvent(client, { type: 'password.reset', accountId, actorId: accountId, origin });
      await queueNotice(client, 'password_changed', accountId, origin);
    });
  }

  async change(
    actor: Actor,
    { current_password: currentPassword, new_password: newPassword }: PasswordChange,
  ): Promise<void> {
    const { accountId, sessionId, origin } = actor;
    const account = await this.check.confirm(actor, 'current_password', currentPassword);
    if (account.passwordHash === null)
      throw new ConflictException('this account has no password yet; a reset mail sets the first one');
    const passwordHash = await hashPassword(newPassword);
    await inTransaction(this.pool, async (client) => {
      const changed = await client.query(CHANGE, [accountId, account.credentialsVersion, passwordHash]);
      if (changed.rowCount !== 1)
        throw new ConflictException('the credentials of the account have just changed');
      await this.sessions.endOthers(client, accountId, sessionId);
      await revokeMailTokens(client, accountId, 'reset_password');
      await recordEvent(client, { type: 'password.changed', accountId, actorId: accountId, origin });
      await queueNotice(client, 'password_changed', accountId, origin);
    });
  }

  async verifyEmail(token: string, origin: Origin): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      const { accountId, email } = await this.spend(client, 'verify_email', token);
      const verified = await client.query(VERIFY, [accountId, email]);
      if (verified.rowCount === 1)
        await recordEvent(client, { type: 'email.verified', accountId, actorId: accountId, origin });
    });
  }

  private async spend(sql: Sql, purpose: 'reset_password' | 'verify_email', token: string) {
    const spent = await useMailToken(sql, purpose, token);
    if (!spent) throw new BadRequestException('token: is unknown, used or too old; ask for a new mail');
    return spent;
  }
}
