import { Database } from '@inference/database';
import { ConflictException, Injectable, NotFoundException, UnauthorizedException } from '@nestjs/common';
import { type Actor, type Origin } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import {
  incrementCredentialsVersion,
  lockCredentials,
  markEmailVerified,
} from '../../accounts/credentials.repository';
import { StartCredit } from '../start-credit';
import { queueSecurityMail } from '../../notifications/mail/outbox';
import { OAuthProviderGateway, type ProviderIdentity } from '../oauth-provider.gateway';
import { OAuthException } from '../oauth.exception';
import { endOtherSessions, lockLiveSession } from '../sessions/sessions.repository';
import { type IdentityResponse } from './identities.dto';
import { deleteIdentity, insertIdentity, listIdentities, lockIdentity } from './identities.repository';
import { type OAuthIdentity } from './oauth-identity.entity';

/** The signed-in account that an identity is linked to, as it was when it asked for the link. */
export interface LinkRequest {
  accountId: string;
  sessionId: string;
  credentialsVersion: number;
}

/** The identities at providers with which an account signs in, in addition to a password or instead of one. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly database: Database,
    private readonly providers: OAuthProviderGateway,
    private readonly startCredit: StartCredit,
  ) {}

  async list(accountId: string): Promise<IdentityResponse[]> {
    return (await listIdentities(this.database, accountId)).map((identity) => this.viewOf(identity));
  }

  /**
   * Throws `session_ended` if the session has ended or the credentials have changed since the link was asked for, and
   * `identity_taken` if another account has the identity. Linking an identity twice changes nothing. If the provider vouches for the
   * address of the account, the link confirms it.
   */
  async link(
    provider: string,
    identity: ProviderIdentity,
    { accountId, sessionId, credentialsVersion }: LinkRequest,
    origin: Origin,
  ): Promise<IdentityResponse> {
    const address = await identity.readEmail();
    const lock = address?.verified ? 'exclusive' : 'shared';
    return this.database.transaction(async (transaction) => {
      const unchanged = await lockCredentials(transaction, accountId, credentialsVersion, lock);
      if (!unchanged || !(await lockLiveSession(transaction, { accountId, sessionId })))
        throw new OAuthException('session_ended');
      const linked = await insertIdentity(transaction, identity, accountId, address?.email ?? null);
      if (!linked) {
        const existing = await lockIdentity(transaction, identity);
        if (existing?.accountId !== accountId) throw new OAuthException('identity_taken');
        return this.viewOf(existing);
      }
      await recordAuditEvent(transaction, {
        type: 'identity.linked',
        accountId,
        actorId: accountId,
        origin,
        details: { provider, issuer: identity.issuer },
      });
      await queueSecurityMail(transaction, 'identity_linked', accountId, origin);
      // Who links has just sent the password, so what was made before stays.
      if (address?.verified && (await markEmailVerified(transaction, accountId, address.email))) {
        await recordAuditEvent(transaction, {
          type: 'email.verified',
          accountId,
          actorId: accountId,
          origin,
        });
        await this.startCredit.give(transaction, accountId);
      }
      return this.viewOf(linked);
    });
  }

  /** Ends the other sessions too, because one of them may have begun with the identity. */
  async unlink({ accountId, sessionId, origin }: Actor, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      // Ends the sign-ins under way that began with the identity. It also locks the account, so that of two requests
      // for the last two ways to sign in one is refused.
      const hasPassword = await incrementCredentialsVersion(transaction, accountId);
      // The session may have ended while this transaction waited for the lock of the account.
      if (!(await lockLiveSession(transaction, { accountId, sessionId })))
        throw new UnauthorizedException('the session has just ended');
      const identities = await listIdentities(transaction, accountId);
      const identity = identities.find((one) => one.id === id);
      if (!identity) throw new NotFoundException('no such identity');
      if (!hasPassword && identities.length === 1)
        throw new ConflictException('this is the only way to sign in to the account; set a password first');
      await endOtherSessions(transaction, accountId, sessionId);
      await deleteIdentity(transaction, identity);
      await recordAuditEvent(transaction, {
        type: 'identity.unlinked',
        accountId,
        actorId: accountId,
        origin,
        details: { provider: this.providers.nameOf(identity.issuer), issuer: identity.issuer },
      });
      await queueSecurityMail(transaction, 'identity_unlinked', accountId, origin);
    });
  }

  private viewOf({ id, issuer, email, createdAt }: OAuthIdentity): IdentityResponse {
    const provider = this.providers.nameOf(issuer);
    return { id, provider, issuer, email, created_at: createdAt.toISOString() };
  }
}
