import {
  ConflictException,
  Inject,
  Injectable,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import { inTransaction, SQL_POOL, type SqlPool } from '@inference/database';
import { SessionsService } from '../auth/sessions.service';
import { type Actor } from '../events/actor';
import { type Origin } from '../events/request-origin';
import { recordEvent } from '../events/security-events';
import { queueNotice } from '../mail/notices';
import { type Link } from './flows';
import { deleteIdentity, findIdentity, type Identity, insertIdentity, listIdentities } from './identities';
import { type IdentityView } from './oauth.dto';
import { OAuthFailure } from './oauth.failures';
import { OAuthProviders, type ProvenIdentity } from './providers';

/**
 * A sign-in under way that began with the identity ends with the version. The account's row is locked by it, so that
 * the last two ways to sign in do not go at the same time.
 */
const CHANGE_CREDENTIALS = `
  UPDATE accounts.accounts SET credentials_version = credentials_version + 1 WHERE id = $1
  RETURNING password_hash IS NOT NULL AS "hasPassword"`;

const HOLD_CREDENTIALS = `
  SELECT FROM accounts.accounts WHERE id = $1 AND credentials_version = $2 FOR SHARE`;

/** What an account signs in with beside, or instead of, a password. */
@Injectable()
export class IdentitiesService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly providers: OAuthProviders,
    private readonly sessions: SessionsService,
  ) {}

  async list(accountId: string): Promise<IdentityView[]> {
    return (await listIdentities(this.pool, accountId)).map((identity) => this.viewOf(identity));
  }

  /**
   * For the session that asked for it, if that has not ended, nor the account's credentials changed; linking again what
   * is linked changes nothing.
   */
  async link(
    provider: string,
    identity: ProvenIdentity,
    { accountId, sessionId, credentialsVersion }: Link,
    origin: Origin,
  ): Promise<IdentityView> {
    const said = await identity.readEmail();
    return inTransaction(this.pool, async (client) => {
      const unchanged = await client.query(HOLD_CREDENTIALS, [accountId, credentialsVersion]);
      if (unchanged.rowCount !== 1 || !(await this.sessions.hold(client, { accountId, sessionId })))
        throw new OAuthFailure('session_ended');
      const linked = await insertIdentity(client, identity, accountId, said?.email ?? null);
      if (!linked) {
        const existing = await findIdentity(client, identity);
        if (existing?.accountId !== accountId) throw new OAuthFailure('identity_taken');
        return this.viewOf(existing);
      }
      await recordEvent(client, {
        type: 'identity.linked',
        accountId,
        actorId: accountId,
        origin,
        details: { provider, issuer: identity.issuer },
      });
      await queueNotice(client, 'identity_linked', accountId, origin);
      return this.viewOf(linked);
    });
  }

  /** Ends the other sessions: one of them may have begun with the identity. */
  async unlink({ accountId, sessionId, origin }: Actor, id: string): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<{ hasPassword: boolean }>(CHANGE_CREDENTIALS, [accountId]);
      // It may have ended while the account was locked by what ended it.
      if (!(await this.sessions.hold(client, { accountId, sessionId })))
        throw new UnauthorizedException('the session has just ended');
      const identities = await listIdentities(client, accountId);
      const identity = identities.find((one) => one.id === id);
      if (!identity) throw new NotFoundException('there is no such identity');
      if (!rows[0]?.hasPassword && identities.length === 1)
        throw new ConflictException('this is the only way to sign in to the account; set a password first');
      await this.sessions.endOthers(client, accountId, sessionId);
      await deleteIdentity(client, identity);
      await recordEvent(client, {
        type: 'identity.unlinked',
        accountId,
        actorId: accountId,
        origin,
        details: { provider: this.providers.nameOf(identity.issuer), issuer: identity.issuer },
      });
      await queueNotice(client, 'identity_unlinked', accountId, origin);
    });
  }

  private viewOf({ id, issuer, email, createdAt }: Identity): IdentityView {
    const provider = this.providers.nameOf(issuer);
    return { id, provider, issuer, email, created_at: createdAt.toISOString() };
  }
}
