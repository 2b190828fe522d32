import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  Inject,
  Injectable,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import { inTransaction, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { toDataURL } from 'qrcode';
import { readAccount } from '../auth/accounts';
import { PasswordCheck } from '../auth/password-check';
import { SessionsService } from '../auth/sessions.service';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type Actor } from '../events/actor';
import { recordEvent } from '../events/security-events';
import { GuessDesk } from '../guesses/guess-desk';
import { revokeMailTokens } from '../mail/mail-tokens';
import { queueNotice } from '../mail/notices';
import { replaceRecoveryCodes } from './recovery-codes';
import { SecondFactor } from './second-factor';
import { newTotpSecret, stepOf, totpUrl } from './totp';
import { type Confirmation, type RecoveryCodesView, type SetupView } from './two-factor.dto';

const SET_UP = `
  INSERT INTO accounts.totp (account_id, sealed_secret) VALUES ($1, $2)
  ON CONFLICT (account_id) DO UPDATE SET sealed_secret = EXCLUDED.sealed_secret, last_step = 0
  WHERE totp.enabled_at IS NULL`;
const READ_SET_UP = `
  SELECT sealed_secret FROM accounts.totp WHERE account_id = $1 AND enabled_at IS NULL FOR UPDATE`;
const ENABLE = 'UPDATE accounts.totp SET enabled_at = now(), last_step = $2 WHERE account_id = $1';
const LOCK_ENABLED = `
  SELECT FROM accounts.totp WHERE account_id = $1 AND enabled_at IS NOT NULL FOR UPDATE`;
const LOCK_UNCHANGED = `
  SELECT FROM accounts.accounts WHERE id = $1 AND credentials_version = $2 FOR NO KEY UPDATE`;
const IS_STILL_ADMIN = `
  SELECT FROM accounts.accounts WHERE id = $1 AND credentials_version = $2 AND role = 'admin'`;
const NEW_CREDENTIALS = `
  UPDATE accounts.accounts SET credentials_version = credentials_version + 1 WHERE id = $1`;

const NOT_ON = 'two factors are not on';

/** Turns the second factor on and off. Each transaction locks the authenticator before the account, as a sign-in does. */
@Injectable()
export class TwoFactorService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
    private readonly check: PasswordCheck,
    private readonly guesses: GuessDesk,
    private readonly secondFactor: SecondFactor,
    private readonly sessions: SessionsService,
  ) {}

  async setUp(accountId: string): Promise<SetupView> {
    const account = await readAccount(this.pool, accountId);
    if (!account) throw new ForbiddenException('the account does not exist any more');
    const secret = newTotpSecret();
    const sealed = await this.secondFactor.seal(accountId, secret);
    const { rowCount } = await this.pool.query(SET_UP, [accountId, sealed]);
    if (rowCount !== 1) throw new ConflictException('two factors are on already; turn them off first');
    const url = totpUrl(secret, this.config.SITE_NAME, account.email);
    return { secret, otpauth_url: url, qr_code: await toDataURL(url) };
  }

  /** The code shows that the authenticator has the secret; it is used up by that. */
  async enable({ accountId, sessionId, origin }: Actor, code: string): Promise<RecoveryCodesView> {
    return inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<{ sealed_secret: string }>(READ_SET_UP, [accountId]);
      if (!rows[0]) throw new ConflictException('nothing is set up, or two factors are on already');
      const step = stepOf(await this.secondFactor.unseal(accountId, rows[0].sealed_secret), code);
      if (step === null)
        throw new BadRequestException('code: is not the one that the authenticator shows now');
      await client.query(ENABLE, [accountId, step]);
      const codes = await replaceRecoveryCodes(client, accountId);
      await client.query(NEW_CREDENTIALS, [accountId]);
      // It may have ended while the account was locked by what ended it.
      if (!(await this.sessions.hold(client, { accountId, sessionId })))
        throw new UnauthorizedException('the session has just ended');
      await this.endWhatBegan(client, accountId, sessionId);
      await recordEvent(client, { type: 'two_factor.enabled', accountId, actorId: accountId, origin });
      await queueNotice(client, 'two_factor_enabled', accountId, origin);
      return { recovery_codes: codes };
    });
  }

  disable(actor: Actor, body: Confirmation): Promise<void> {
    return this.confirmed(actor, body, (client) =>
      this.turnOff(client, actor.accountId, actor, actor.sessionId),
    );
  }

  /** For somebody who has lost the authenticator and the recovery codes, and has shown an admin who they are. */
  async disableFor(accountId: string, admin: Actor, password: string): Promise<void> {
    const { credentialsVersion } = await this.check.confirm(admin, 'password', password);
    // A stolen session must not get rid of the second factor that it lacks.
    if (accountId === admin.accountId)
      throw new ForbiddenException('an admin turns off the own second factor as everybody does');
    await inTransaction(this.pool, async (client) => {
      if (!(await readAccount(client, accountId))) throw new NotFoundException('no such account');
      await this.lockEnabled(client, accountId);
      const still = await client.query(IS_STILL_ADMIN, [admin.accountId, credentialsVersion]);
      if (still.rowCount !== 1) throw new ForbiddenException('this account may not do that');
      await this.turnOff(client, accountId, admin, null);
    });
  }

  async replaceRecoveryCodes(actor: Actor, body: Confirmation): Promise<RecoveryCodesView> {
    const { accountId, origin } = actor;
    return this.confirmed(actor, body, async (client) => {
      const codes = await replaceRecoveryCodes(client, accountId);
      await recordEvent(client, { type: 'recovery_codes.replaced', accountId, actorId: accountId, origin });
      await queueNotice(client, 'recovery_codes_replaced', accountId, origin);
      return { recovery_codes: codes };
    });
  }

  /** Runs the work once the password and the second factor have been shown again. */
  private async confirmed<T>(
    actor: Actor,
    { password, code }: Confirmation,
    work: (client: Sql) => Promise<T>,
  ): Promise<T> {
    const { accountId, origin } = actor;
    const account = await this.check.confirm(actor, 'password', password);
    if (!account.twoFactor) throw new ConflictException(NOT_ON);
    const guess = await this.guesses.admit({ kind: 'second_factor', accountId, address: origin.address });
    const done = await inTransaction(this.pool, async (client) => {
      await this.lockEnabled(client, accountId);
      if ((await this.secondFactor.take(client, accountId, code)) === null) {
        await recordEvent(client, { type: 'second_factor.failed', accountId, actorId: accountId, origin });
        return null;
      }
      const unchanged = await client.query(LOCK_UNCHANGED, [accountId, account.credentialsVersion]);
      if (unchanged.rowCount !== 1)
        throw new ConflictException('the credentials of the account have just changed');
      return { result: await work(client) };
    });
    if (!done) throw new ForbiddenException('code: is wrong, or was used before');
    await guess.wasRight();
    return done.result;
  }

  private async lockEnabled(sql: Sql, accountId: string): Promise<void> {
    const enabled = await sql.query(LOCK_ENABLED, [accountId]);
    if (enabled.rowCount !== 1) throw new ConflictException(NOT_ON);
  }

  private async turnOff(
    sql: Sql,
    accountId: string,
    { accountId: actorId, origin }: Actor,
    keptSessionId: string | null,
  ): Promise<void> {
    await sql.query('DELETE FROM accounts.totp WHERE account_id = $1', [accountId]);
    await sql.query('DELETE FROM accounts.recovery_codes WHERE account_id = $1', [accountId]);
    await sql.query(NEW_CREDENTIALS, [accountId]);
    await this.endWhatBegan(sql, accountId, keptSessionId);
    await recordEvent(sql, { type: 'two_factor.disabled', accountId, actorId, origin });
    await queueNotice(sql, 'two_factor_disabled', accountId, origin);
  }

  private async endWhatBegan(sql: Sql, accountId: string, keptSessionId: string | null): Promise<void> {
    await this.sessions.endOthers(sql, accountId, keptSessionId);
    await revokeMailTokens(sql, accountId, 'reset_password');
  }
}
