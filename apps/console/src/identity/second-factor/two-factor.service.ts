import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  Inject,
  Injectable,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import { Database, type Sql } from '@inference/database';
import { toDataURL } from 'qrcode';
import { readAccount } from '../accounts/accounts';
import { incrementCredentialsVersion, isAdminAtVersion, lockCredentials } from '../accounts/credentials';
import { ReauthenticationService } from '../passwords/reauthentication.service';
import { SessionsService } from '../sessions/sessions.service';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type Actor } from '../audit-log/actor';
import { recordAuditEvent } from '../audit-log/audit-log';
import { LoginThrottle } from '../login-throttle/login-throttle.service';
import { revokeMailTokens } from '../../notifications/mail/mail-tokens';
import { queueSecurityMail } from '../../notifications/mail/security-mail';
import { replaceRecoveryCodes } from './recovery-codes';
import { SecondFactorVerifier } from './second-factor-verifier';
import { newTotpSecret, stepOf, totpUrl } from './totp';
import {
  type ConfirmTwoFactorDto,
  type RecoveryCodesResponse,
  type TwoFactorSetupResponse,
} from './two-factor.dto';

const SET_UP = `
  INSERT INTO accounts.totp (account_id, sealed_secret) VALUES ($1, $2)
  ON CONFLICT (account_id) DO UPDATE SET sealed_secret = EXCLUDED.sealed_secret, last_step = 0
  WHERE totp.enabled_at IS NULL`;
const READ_SET_UP = `
  SELECT sealed_secret FROM accounts.totp WHERE account_id = $1 AND enabled_at IS NULL FOR UPDATE`;
const ENABLE = 'UPDATE accounts.totp SET enabled_at = now(), last_step = $2 WHERE account_id = $1';
const LOCK_ENABLED = `
  SELECT FROM accounts.totp WHERE account_id = $1 AND enabled_at IS NOT NULL FOR UPDATE`;

const NOT_ON = 'two factors are not on';

/** Turns the second factor on and off. Lock order: the authenticator before the account, as in a sign-in. */
@Injectable()
export class TwoFactorService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    private readonly reauthentication: ReauthenticationService,
    private readonly throttle: LoginThrottle,
    private readonly secondFactor: SecondFactorVerifier,
    private readonly sessions: SessionsService,
  ) {}

  async setUp(accountId: string): Promise<TwoFactorSetupResponse> {
    const account = await readAccount(this.database, accountId);
    if (!account) throw new ForbiddenException('the account does not exist any more');
    const secret = newTotpSecret();
    const sealed = await this.secondFactor.seal(accountId, secret);
    const { rowCount } = await this.database.query(SET_UP, [accountId, sealed]);
    if (rowCount !== 1) throw new ConflictException('two factors are on already; turn them off first');
    const url = totpUrl(secret, this.site.name, account.email);
    return { secret, otpauth_url: url, qr_code: await toDataURL(url) };
  }

  /** The code proves that the authenticator has the secret. It is used up. */
  async enable({ accountId, sessionId, origin }: Actor, code: string): Promise<RecoveryCodesResponse> {
    return this.database.transaction(async (client) => {
      const { rows } = await client.query<{ sealed_secret: string }>(READ_SET_UP, [accountId]);
      if (!rows[0]) throw new ConflictException('nothing is set up, or two factors are on already');
      const step = stepOf(await this.secondFactor.unseal(accountId, rows[0].sealed_secret), code);
      if (step === null)
        throw new BadRequestException('code: is not the one that the authenticator shows now');
      await client.query(ENABLE, [accountId, step]);
      const codes = await replaceRecoveryCodes(client, accountId);
      await incrementCredentialsVersion(client, accountId);
      // The session may have ended while this transaction waited for the lock of the account.
      if (!(await this.sessions.hold(client, { accountId, sessionId })))
        throw new UnauthorizedException('the session has just ended');
      await this.endOtherAccess(client, accountId, sessionId);
      await recordAuditEvent(client, { type: 'two_factor.enabled', accountId, actorId: accountId, origin });
      await queueSecurityMail(client, 'two_factor_enabled', accountId, origin);
      return { recovery_codes: codes };
    });
  }

  disable(actor: Actor, body: ConfirmTwoFactorDto): Promise<void> {
    return this.confirmed(actor, body, (client) =>
      this.turnOff(client, actor.accountId, actor, actor.sessionId),
    );
  }

  /** For an owner who has lost the authenticator and the recovery codes and has proved the identity to an admin. */
  async disableFor(accountId: string, admin: Actor, password: string): Promise<void> {
    const { credentialsVersion } = await this.reauthentication.confirm(admin, 'password', password);
    // A stolen session of an admin must not be enough to turn off the admin's own second factor.
    if (accountId === admin.accountId)
      throw new ForbiddenException('use POST /api/auth/2fa/disable for your own second factor');
    await this.database.transaction(async (client) => {
      if (!(await readAccount(client, accountId))) throw new NotFoundException('no such account');
      await this.lockEnabled(client, accountId);
      if (!(await isAdminAtVersion(client, admin.accountId, credentialsVersion)))
        throw new ForbiddenException('this account does not have the required role');
      await this.turnOff(client, accountId, admin, null);
    });
  }

  async replaceRecoveryCodes(actor: Actor, body: ConfirmTwoFactorDto): Promise<RecoveryCodesResponse> {
    const { accountId, origin } = actor;
    return this.confirmed(actor, body, async (client) => {
      const codes = await replaceRecoveryCodes(client, accountId);
      await recordAuditEvent(client, {
        type: 'recovery_codes.replaced',
        accountId,
        actorId: accountId,
        origin,
      });
      await queueSecurityMail(client, 'recovery_codes_replaced', accountId, origin);
      return { recovery_codes: codes };
    });
  }

  /** Runs the work in a transaction after the password and a code have been checked again. */
  private async confirmed<T>(
    actor: Actor,
    { password, code }: ConfirmTwoFactorDto,
    work: (client: Sql) => Promise<T>,
  ): Promise<T> {
    const { accountId, origin } = actor;
    const account = await this.reauthentication.confirm(actor, 'password', password);
    if (!account.twoFactor) throw new ConflictException(NOT_ON);
    const attempt = await this.throttle.admit({ kind: 'second_factor', accountId, address: origin.address });
    const done = await this.database.transaction(async (client) => {
      await this.lockEnabled(client, accountId);
      if ((await this.secondFactor.verify(client, accountId, code)) === null) {
        await recordAuditEvent(client, {
          type: 'second_factor.failed',
          accountId,
          actorId: accountId,
          origin,
        });
        return null;
      }
      if (!(await lockCredentials(client, accountId, account.credentialsVersion, 'exclusive')))
        throw new ConflictException('the credentials of the account have just changed');
      return { result: await work(client) };
    });
    if (!done) throw new ForbiddenException('code: is wrong, or was used before');
    await attempt.recordSuccess();
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
    await incrementCredentialsVersion(sql, accountId);
    await this.endOtherAccess(sql, accountId, keptSessionId);
    await recordAuditEvent(sql, { type: 'two_factor.disabled', accountId, actorId, origin });
    await queueSecurityMail(sql, 'two_factor_disabled', accountId, origin);
  }

  private async endOtherAccess(sql: Sql, accountId: string, keptSessionId: string | null): Promise<void> {
    await this.sessions.endOthers(sql, accountId, keptSessionId);
    await revokeMailTokens(sql, accountId, 'reset_password');
  }
}
