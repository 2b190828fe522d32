import { Database } from '@inference/database';
import { ConflictException, Inject, Injectable } from '@nestjs/common';
import { readAccount } from '../../accounts/accounts.repository';
import { type Actor, type Origin } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { changePassword, resetPassword } from '../../accounts/credentials.repository';
import { StartCredit } from '../start-credit';
import { normalizeIdentifier } from '../../accounts/identifier';
import { revokeMailTokens } from '../../notifications/mail/mail-tokens.repository';
import { queueMail, queueSecurityMail } from '../../notifications/mail/outbox';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { LoginThrottle } from '../login-throttle/login-throttle.service';
import { readMailToken, redeemMailToken } from '../mail-token';
import { lockBeforeProof, revokeUnprovenAccess } from '../revoke-unproven-access';
import { endOtherSessions } from '../sessions/sessions.repository';
import { hashPassword } from './password-hasher';
import { type ChangePasswordDto, type ResetPasswordDto } from './passwords.dto';
import { ReauthenticationService } from './reauthentication.service';
import { refuseWeakPassword } from './refused-passwords';

@Injectable()
export class PasswordsService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    private readonly reauthentication: ReauthenticationService,
    private readonly throttle: LoginThrottle,
    private readonly startCredit: StartCredit,
  ) {}

  /** Takes the same time whether or not there is such an account: the mail sender looks for it later. */
  async requestReset(identifier: string, { address }: Origin): Promise<void> {
    await queueMail(this.database, {
      kind: 'reset_password',
      identifier: normalizeIdentifier(identifier, this.site.site),
      params: { address },
    });
  }

  /**
   * The receiver of the account's mail is its owner. Sets the password, ends all sessions and revokes what was made before the
   * address was proved.
   */
  async reset({ token, password }: ResetPasswordDto, origin: Origin): Promise<void> {
    const ownerId = await readMailToken(this.database, 'reset_password', token);
    await this.refuseWeak('password', password, ownerId);
    const passwordHash = await hashPassword(password);
    await this.database.transaction(async (transaction) => {
      await lockBeforeProof(transaction, ownerId);
      const { accountId, email } = await redeemMailToken(transaction, 'reset_password', token);
      const provedAt = await resetPassword(transaction, accountId, passwordHash, email);
      if (provedAt === null) await this.startCredit.give(transaction, accountId);
      // Sessions are locked before identities, in the same order as when an identity is linked.
      await endOtherSessions(transaction, accountId, null);
      await revokeUnprovenAccess(transaction, { accountId, provedAt, origin });
      await this.throttle.resetUnknownNetworks(transaction, accountId);
      await recordAuditEvent(transaction, { type: 'password.reset', accountId, actorId: accountId, origin });
      await queueSecurityMail(transaction, 'password_changed', accountId, origin);
    });
  }

  async change(
    actor: Actor,
    { current_password: currentPassword, new_password: newPassword }: ChangePasswordDto,
  ): Promise<void> {
    const { accountId, sessionId, origin } = actor;
    const account = await this.reauthentication.confirm(actor, 'current_password', currentPassword);
    if (account.passwordHash === null)
      throw new ConflictException('this account has no password yet; a reset mail sets the first one');
    await this.refuseWeak('new_password', newPassword, accountId);
    const passwordHash = await hashPassword(newPassword);
    await this.database.transaction(async (transaction) => {
      if (!(await changePassword(transaction, accountId, account.credentialsVersion, passwordHash)))
        throw new ConflictException('the credentials of the account have just changed');
      await endOtherSessions(transaction, accountId, sessionId);
      await revokeMailTokens(transaction, accountId, 'reset_password');
      await recordAuditEvent(transaction, {
        type: 'password.changed',
        accountId,
        actorId: accountId,
        origin,
      });
      await queueSecurityMail(transaction, 'password_changed', accountId, origin);
    });
  }

  private async refuseWeak(field: string, password: string, accountId: string): Promise<void> {
    refuseWeakPassword(field, password, (await readAccount(this.database, accountId)) ?? {});
  }
}
