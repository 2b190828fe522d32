import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  Inject,
  Injectable,
} from '@nestjs/common';
import { type Caller } from '@inference/credentials';
import { inTransaction, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { toDataURL } from 'qrcode';
import { readAccount } from '../auth/accounts';
import { PasswordCheck } from '../auth/password-check';
import { SessionsService } from '../auth/sessions.service';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type Origin } from '../events/request-origin';
import { recordEvent } from '../events/security-events';
import { GuessDesk } from '../guesses/guess-desk';
import { queueMail } from '../mail/outbox';
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
const NEW_CREDENTIALS = `
  UPDATE accounts.accounts SET credentials_version = credentials_version + 1 WHERE id = $1`;

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
  async enable({ accountId, sessionId }: Caller, code: string, origin: Origin): Promise<RecoveryCodesView> {
    return inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<{ sealed_secret: string }>(READ_SET_UP, [accountId]);
      if (!rows[0]) throw new ConflictException('nothing is set up, or two factors are on already');
      const step = stepOf(await this.secondFactor.unseal(accountId, rows[0].sealed_secret), code);
      if (step === null)
        throw new BadRequestException('code: is not the one that the authenticator shows now');
      await client.query(ENABLE, [accountId, step]);
      const codes = await replaceRecoveryCodes(client, accountId);
      await this.changeCredentials(client, accountId, sessionId);
      await recordEvent(client, { type: 'two_factor.enabled', accountId, actorId: accountId, origin });
      await this.announce(client, 'two_factor_enabled', accountId, origin);
      return { recovery_codes: codes };
    });
  }

  async disable({ accountId, sessionId }: Caller, body: Confirmation, origin: Origin): Promise<void> {
    await this.confirmed(accountId, body, origin, async (client) => {
      await client.query('DELETE FROM accounts.totp WHERE account_id = $1', [accountId]);
      await client.query('DELETE FROM accounts.recovery_codes WHERE account_id = $1', [accountId]);
      await this.changeCredentials(client, accountId, sessionId);
      await recordEvent(client, { type: 'two_factor.disabled', accountId, actorId: accountId, origin });
      await this.announce(client, 'two_factor_disabled', accountId, origin);
    });
  }

  async replaceRecoveryCodes(
    accountId: string,
    body: Confirmation,
    origin: Origin,
  ): Promise<RecoveryCodesView> {
    return this.confirmed(accountId, body, origin, async (client) => {
      const codes = await replaceRecoveryCodes(client, accountId);
      await recordEvent(client, { type: 'recovery_codes.replaced', accountId, actorId: accountId, origin });
      await this.announce(client, 'recovery_codes_replaced', accountId, origin);
      return { recovery_codes: codes };
    });
  }

  /** Runs the work once the password and the second factor have been shown again. */
  private async confirmed<T>(
    accountId: string,
    { password, code }: Confirmation,
    origin: Origin,
    work: (client: Sql) => Promise<T>,
  ): Promise<T> {
    await this.check.confirm(accountId, 'password', password, origin);
    const guess = await this.guesses.admit({ kind: 'second_factor', accountId, address: origin.address });
    const done = await inTransaction(this.pool, async (client) => {
      const enabled = await client.query(LOCK_ENABLED, [accountId]);
      if (enabled.rowCount !== 1) throw new ConflictException('two factors are not on');
      if ((await this.secondFactor.take(client, accountId, code)) !== null)
        return { result: await work(client) };
      await recordEvent(client, { type: 'second_factor.failed', accountId, actorId: accountId, origin });
      return null;
    });
    if (!done) throw new ForbiddenException('code: is wrong, or was used before');
    await guess.wasRight();
    return done.result;
  }

  private async changeCredentials(sql: Sql, accountId: string, sessionId: string | undefined): Promise<void> {
    await sql.query(NEW_CREDENTIALS, [accountId]);
    await this.sessions.endOthers(sql, accountId, sessionId ?? null);
  }

  private announce(
    sql: Sql,
    kind: 'two_factor_enabled' | 'two_factor_disabled' | 'recovery_codes_replaced',
    accountId: string,
    { address }: Origin,
  ): Promise<void> {
    return queueMail(sql, { kind, accountId, params: { address, at: new Date().toISOString() } });
  }
}
