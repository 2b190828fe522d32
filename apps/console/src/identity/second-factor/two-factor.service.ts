import { Database, type Executor, type Transaction } from '@inference/database';
import { type Caller, rolesOfRoute } from '@inference/guards';
import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  Inject,
  Injectable,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import { toDataURL } from 'qrcode';
import { readAccount } from '../../accounts/accounts.repository';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import {
  incrementCredentialsVersion,
  lockCredentials,
  roleAtVersion,
} from '../../accounts/credentials.repository';
import { revokeMailTokens } from '../../notifications/mail/mail-tokens.repository';
import { queueSecurityMail } from '../../notifications/mail/outbox';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { LoginThrottle } from '../login-throttle/login-throttle.service';
import { ReauthenticationService } from '../passwords/reauthentication.service';
import { endOtherSessions, lockLiveSession, setSecondFactor } from '../sessions/sessions.repository';
import { AdminConfirmationService } from './admin-confirmation.service';
import {
  newTotpSecret,
  replaceRecoveryCodes,
  SecondFactorVerifier,
  stepOf,
  totpUrl,
} from './second-factor-verifier';
import {
  deleteSecondFactor,
  enableTotp,
  hasProviderFactor,
  lockEnabledTotp,
  lockNewTotp,
  storeTotpSecret,
} from './second-factor.repository';
import {
  type AdminConfirmationDto,
  type ConfirmTwoFactorDto,
  type RecoveryCodesResponse,
  type TwoFactorSetupResponse,
} from './two-factor.dto';

const RESET_ROUTE = 'POST /api/admin/accounts/:id/2fa/disable';
const NOT_ON = 'two factors are not on';

/** Turns the second factor on and off. Lock order: the authenticator before the account, as in a sign-in. */
@Injectable()
export class TwoFactorService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    private readonly reauthentication: ReauthenticationService,
    private readonly adminConfirmation: AdminConfirmationService,
    private readonly throttle: LoginThrottle,
    private readonly secondFactor: SecondFactorVerifier,
  ) {}

  async setUp(caller: Caller): Promise<TwoFactorSetupResponse> {
    const { accountId } = caller;
    const account = await readAccount(this.database, accountId);
    if (!account) throw new ForbiddenException('the account does not exist any more');
    await this.refuseInPlaceOfProvider(this.database, caller);
    const secret = newTotpSecret();
    const sealed = await this.secondFactor.seal(accountId, secret);
    if (!(await storeTotpSecret(this.database, accountId, sealed)))
      throw new ConflictException('two factors are on already; turn them off first');
    const url = totpUrl(secret, this.site.name, account.email);
    return { secret, otpauth_url: url, qr_code: await toDataURL(url) };
  }

  /** The code proves that the authenticator has the secret. It is used up. */
  async enable(
    { accountId, sessionId, origin }: Actor,
    caller: Caller,
    code: string,
  ): Promise<RecoveryCodesResponse> {
    return this.database.transaction(async (transaction) => {
      await this.refuseInPlaceOfProvider(transaction, caller);
      // Somebody else may have registered the address; with a second factor its owner could never sign in.
      if (!(await readAccount(transaction, accountId))?.emailVerified)
        throw new ForbiddenException('the e-mail address of the account has to be confirmed first');
      const totp = await lockNewTotp(transaction, accountId);
      if (!totp) throw new ConflictException('nothing is set up, or two factors are on already');
      const step = stepOf(await this.secondFactor.unseal(totp), code);
      if (step === null)
        throw new BadRequestException('code: is not the one that the authenticator shows now');
      await enableTotp(transaction, accountId, step);
      const codes = await replaceRecoveryCodes(transaction, accountId);
      await incrementCredentialsVersion(transaction, accountId);
      // The session may have ended while this transaction waited for the lock of the account.
      if (!(await lockLiveSession(transaction, { accountId, sessionId })))
        throw new UnauthorizedException('the session has just ended');
      await setSecondFactor(transaction, sessionId, 'totp');
      await this.endOtherAccess(transaction, accountId, sessionId);
      await recordAuditEvent(transaction, {
        type: 'two_factor.enabled',
        accountId,
        actorId: accountId,
        origin,
      });
      await queueSecurityMail(transaction, 'two_factor_enabled', accountId, origin);
      return { recovery_codes: codes };
    });
  }

  disable(actor: Actor, body: ConfirmTwoFactorDto): Promise<void> {
    return this.confirmed(actor, body, (transaction) =>
      this.turnOff(transaction, actor.accountId, actor, actor.sessionId),
    );
  }

  /** For an owner who has lost the authenticator and the recovery codes and has proved the identity to an admin. */
  async disableFor(accountId: string, admin: Actor, confirmation: AdminConfirmationDto): Promise<void> {
    const { credentialsVersion } = await this.adminConfirmation.confirm(admin, confirmation);
    // A stolen session of an admin must not be enough to turn off the admin's own second factor.
    if (accountId === admin.accountId)
      throw new ForbiddenException('use POST /api/auth/2fa/disable for your own second factor');
    await this.database.transaction(async (transaction) => {
      const account = await readAccount(transaction, accountId);
      if (!account) throw new NotFoundException('no such account');
      const actorRole = await roleAtVersion(transaction, admin.accountId, credentialsVersion);
      if (actorRole === null || !rolesOfRoute(RESET_ROUTE).some((role) => role === actorRole))
        throw new ForbiddenException('this account does not have the required role');
      // Support could otherwise take over the account of an admin, with a reset password.
      if (actorRole !== 'admin' && account.role !== 'user')
        throw new ForbiddenException('only admins turn off the two factors of staff');
      await this.lockEnabled(transaction, accountId);
      await this.turnOff(transaction, accountId, admin, null);
    });
  }

  async replaceRecoveryCodes(actor: Actor, body: ConfirmTwoFactorDto): Promise<RecoveryCodesResponse> {
    const { accountId, origin } = actor;
    return this.confirmed(actor, body, async (transaction) => {
      const codes = await replaceRecoveryCodes(transaction, accountId);
      await recordAuditEvent(transaction, {
        type: 'recovery_codes.replaced',
        accountId,
        actorId: accountId,
        origin,
      });
      await queueSecurityMail(transaction, 'recovery_codes_replaced', accountId, origin);
      return { recovery_codes: codes };
    });
  }

  /** With a password alone, somebody could otherwise set up an authenticator beside the second factor that the provider asks for. */
  private async refuseInPlaceOfProvider(
    executor: Executor,
    { accountId, lacksSecondFactor }: Caller,
  ): Promise<void> {
    if (lacksSecondFactor && (await hasProviderFactor(executor, accountId)))
      throw new ForbiddenException(
        'the second factor of this account is that of its provider: sign in there, or let an admin give the role anew',
      );
  }

  /** Runs the work in a transaction after the password and a code have been checked again. */
  private async confirmed<T>(
    actor: Actor,
    { password, code }: ConfirmTwoFactorDto,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const { accountId, origin } = actor;
    const account = await this.reauthentication.confirm(actor, 'password', password);
    if (!account.twoFactor) throw new ConflictException(NOT_ON);
    const attempt = await this.throttle.admit({ kind: 'second_factor', accountId, address: origin.address });
    const done = await this.database.transaction(async (transaction) => {
      await this.lockEnabled(transaction, accountId);
      if ((await this.secondFactor.verify(transaction, accountId, code)) === null) {
        await recordAuditEvent(transaction, {
          type: 'second_factor.failed',
          accountId,
          actorId: accountId,
          origin,
        });
        return null;
      }
      if (!(await lockCredentials(transaction, accountId, account.credentialsVersion, 'exclusive')))
        throw new ConflictException('the credentials of the account have just changed');
      return { result: await work(transaction) };
    });
    if (!done) throw new ForbiddenException('code: is wrong, or was used before');
    await attempt.recordSuccess();
    return done.result;
  }

  private async lockEnabled(transaction: Transaction, accountId: string): Promise<void> {
    if (!(await lockEnabledTotp(transaction, accountId, 'change'))) throw new ConflictException(NOT_ON);
  }

  private async turnOff(
    transaction: Transaction,
    accountId: string,
    { accountId: actorId, origin }: Actor,
    keptSessionId: string | null,
  ): Promise<void> {
    await deleteSecondFactor(transaction, accountId);
    await incrementCredentialsVersion(transaction, accountId);
    if (keptSessionId !== null) await setSecondFactor(transaction, keptSessionId, null);
    await this.endOtherAccess(transaction, accountId, keptSessionId);
    await recordAuditEvent(transaction, { type: 'two_factor.disabled', accountId, actorId, origin });
    await queueSecurityMail(transaction, 'two_factor_disabled', accountId, origin);
  }

  private async endOtherAccess(
    transaction: Transaction,
    accountId: string,
    keptSessionId: string | null,
  ): Promise<void> {
    await endOtherSessions(transaction, accountId, keptSessionId);
    await revokeMailTokens(transaction, accountId, 'reset_password');
  }
}
